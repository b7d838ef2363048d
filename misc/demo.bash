#!/usr/bin/env bash
# Copyright 2026 The gorefs Authors. All rights reserved.
# Use of this source code is governed by a BSD-style
# license that can be found in the LICENSE file.

# Reports on the memory of a real server. It builds the toolchain if necessary,
# and nats-server with the toolchain. It starts the server on 127.0.0.1, puts
# load on it (demo/load), saves the server's profiles and checks their sums
# (demo/fetch), and runs go tool memreport.
#
#   misc/demo.bash [DIR]   leave profiles and logs in DIR (if none is given: demo-out)

set -euo pipefail

if [ $# -gt 1 ] || [[ ${1:-} == -* ]]; then
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
rm -rf "$out/memreport"
step tool tool memreport -seconds 10 -o "$out/memreport" "$(url_of profile)" || die "no report"
echo
say "profiles of one moment each are in $out; this shows the report in a browser:"
typed "$go" tool memreport -http=localhost:8080 "$out/memreport"
