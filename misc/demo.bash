#!/usr/bin/env bash
# Copyright 2026 The gorefs Authors. All rights reserved.
# Use of this source code is governed by a BSD-style
# license that can be found in the LICENSE file.

# Shows what fills the goroutine stacks of a real server, what made it grow,
# where all of its memory is, what its heap contained at the peak, which code
# touches memory that has no page, and what retains its live heap. It builds the
# toolchain if necessary, and nats-server with the toolchain. It starts the
# server on 127.0.0.1, puts load on it (demo/load), and saves the server's
# profiles under load (demo/fetch).
#
#   misc/demo.bash [DIR]   leave profiles and logs in DIR (if none is given: demo-out)

set -euo pipefail

if [ $# -gt 1 ]; then
	echo "usage: misc/demo.bash [DIR]" >&2
	exit 2
fi
here=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$(pwd -P)
. misc/demo/processes.bash
out=$(absolute "${1:-$root/demo-out}")

# url_of NAME prints one of the server's addresses, from the file in which the
# server writes them.
url_of() { sed -n 's/.*"'"$1"'":\["\([^"]*\)".*/\1/p' "$tmp"/nats-server_*.ports | grep .; }

# show_refs FILE prints the first line of a refs profile's text and 25 lines of
# its table, at most 180 characters of each.
show_refs() { awk 'NR == 1 || table && n++ < 25 { print substr($0, 1, 180) } /^$/ { table = 1 }' "$1"; }

# suggest WHAT ARGUMENT... prints WHAT, and the pprof command that shows it.
suggest() {
	echo "# $1"
	typed "$go" tool pprof "${@:2}"
}

step ./make.bash || die "make.bash failed"

tmp=$(mktemp -d "${TMPDIR:-/tmp}/demo.XXXXXX")
mkdir -p "$out"
say "building nats-server and its load"
step tool build -C misc/demo -o "$tmp/" github.com/nats-io/nats-server/v2 ./load ./fetch || die "cannot build nats-server"

say "starting nats-server on free ports of 127.0.0.1"
start "$tmp/nats-server" -a 127.0.0.1 -p -1 --profile -1 --ports_file_dir "$tmp" -js -sd "$tmp/jetstream" >"$out/nats-server.log" 2>&1
await nats-server "$out/nats-server.log" url_of profile

start "$tmp/load" -server "$(url_of nats)" >"$out/load.log" 2>&1
await "the load" "$out/load.log" grep -q 'load is on' "$out/load.log"
say "$(cat "$out/load.log")"

if ! step "$tmp/fetch" "$(url_of profile)" "$out"; then
	echo "the end of $out/nats-server.log:" >&2
	tail -n 5 "$out/nats-server.log" >&2
	die "the profiles are not what they should be; they are in $out"
fi
echo
step tool tool pprof -top -nodecount=15 -sample_index=stack_space "$out/goroutine.pb.gz"
echo
step tool tool pprof -top -nodecount=10 "$out/growth.pb.gz"
echo
step tool tool pprof -top -cum -nodecount=12 -focus='^Go memory$|^Not Go' "$out/memory.pb.gz"
echo
step tool tool pprof -top -nodecount=8 "$out/peak.pb.gz"
if [ -e "$out/faults.pb.gz" ]; then
	echo
	step tool tool pprof -top -nodecount=8 "$out/faults.pb.gz"
fi
echo
show_refs "$out/refs.txt"
echo
step tool tool heapgraph export -o "$out/retained.pb.gz" pprof "$out/heap.graph"
step tool tool pprof -top -cum -nodecount=10 "$out/retained.pb.gz"
echo
step tool tool heapgraph suspects "$out/heap.graph"
echo
say "the profiles are in $out; these commands show them, all but the last in a browser:"
suggest "goroutine stacks" -http=localhost:8080 -sample_index=stack_space "$out/goroutine.pb.gz"
suggest "what made the process grow" -http=localhost:8080 "$out/growth.pb.gz"
suggest "all memory" -http=localhost:8080 "$out/memory.pb.gz"
suggest "the heap when memory was largest" -http=localhost:8080 "$out/peak.pb.gz"
[ ! -e "$out/faults.pb.gz" ] || suggest "page faults" -http=localhost:8080 "$out/faults.pb.gz"
suggest "the live heap" -http=localhost:8080 "$out/refs.pb.gz"
suggest "what would be free without each of its parts" -http=localhost:8080 "$out/retained.pb.gz"
suggest "what grew in 5 seconds" -top "$out/refs-growth.pb.gz"
