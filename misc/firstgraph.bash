#!/usr/bin/env bash
# Copyright 2026 The gorefs Authors. All rights reserved.
# Use of this source code is governed by a BSD-style
# license that can be found in the LICENSE file.

# Measures how long it takes from an archive to the first flame graph of a real
# server, with an empty HOME. It installs the toolchain from a folder that
# dist.bash made, builds nats-server with an empty build cache, starts the
# server on 127.0.0.1, and waits until go tool pprof shows the flame graph of
# the server's refs profile. Then it repeats all steps except the installation,
# with the build cache that the first build has filled.
#
#   misc/firstgraph.bash [FOLDER]   FOLDER is dist if none is given
#
# It takes nats-server's modules from the user's module cache, and uses no network
# if they are there (go -C misc/demo mod download).

set -euo pipefail
here=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$(pwd -P)
. misc/demo/processes.bash

if [ $# -gt 1 ]; then
	echo "usage: misc/firstgraph.bash [FOLDER]" >&2
	exit 2
fi
folder=$(absolute "${1:-$root/dist}")
modules=$(go env GOMODCACHE GOPROXY) || die "there is no go command in PATH: where are the modules?"
[ -x "$folder/install.bash" ] || die "there is no $folder/install.bash: run ./dist.bash host first"

# clean runs a command as for a user who has only the folder and the modules.
# CGO_ENABLED=0 stands for a missing C compiler.
clean() {
	env -i PATH="${path:+$path:}/usr/bin:/bin" HOME="$tmp/home" CGO_ENABLED=0 \
		GOMODCACHE="${modules%$'\n'*}" GOPROXY="${modules#*$'\n'}" GOFLAGS=-modcacherw "$@"
}

install() { clean bash "$folder/install.bash" "$folder" >"$tmp/path" 2>"$tmp/log"; }

build() { clean go build -C misc/demo -o "$tmp/" github.com/nats-io/nats-server/v2; }

serve() {
	start clean "$tmp/nats-server" -a 127.0.0.1 -p -1 --profile -1 --ports_file_dir "$tmp" -js -sd "$tmp/jetstream" >"$tmp/log" 2>&1
	server=$pid
	await nats-server "$tmp/log" profile_of
}

# profile_of prints the address of the server's profiles, from the file in which
# the server writes its ports.
profile_of() { sed -n 's/.*"profile":\["\([^"]*\)".*/\1/p' "$tmp"/nats-server_*.ports | grep .; }

flame_graph() {
	local address=127.0.0.1:$((20000 + RANDOM % 10000))
	start clean go tool pprof -no_browser -http="$address" "$(profile_of)/debug/pprof/refs" >"$tmp/log" 2>&1
	viewer=$pid
	await "go tool pprof" "$tmp/log" curl -fsS -o "$tmp/flamegraph.html" "http://$address/ui/flamegraph"
	pkill -TERM -P "$viewer" # go tool waits for pprof, and so pprof's CPU time counts
	wait "$viewer" || true
	grep -q 'nats-server/v2/server' "$tmp/flamegraph.html" || die "the flame graph shows nothing of nats-server"
}

# row STEP COMMAND... prints how long the command takes.
row() {
	local name=$1 TIMEFORMAT='%R %U %S' times
	shift
	{ time "$@" 2>&4; } 4>&2 2>"$tmp/time" || die "$name failed: $(tail -n 5 "$tmp/log")"
	times=$(tail -n 1 "$tmp/time")
	awk -v name="$name" '{ printf "%-36s %6.1f s %6.1f s\n", name, $1, $2 + $3 }' <<<"$times"
	awk '{ print $1, $2 + $3 }' <<<"$times" >>"$tmp/times"
}

total() {
	awk -v name="$1" '{ real += $1; cpu += $2 } END { printf "%-36s %6.1f s %6.1f s\n", name, real, cpu }' "$tmp/times"
	: >"$tmp/times"
}

stop() {
	end_groups "$server"
	groups=""
	rm -f "$tmp"/nats-server*
}

tmp=$(mktemp -d "${TMPDIR:-/tmp}/firstgraph.XXXXXX")
mkdir "$tmp/home"
path=
printf '%-36s %8s %8s\n' step time "CPU time"
row "install.bash" install
path=$(bash -c "PATH=; $(cat "$tmp/path")"'; echo "${PATH%:}"') # install.bash printed this line, which sets PATH
row "go build nats-server, no build cache" build
row "start it" serve
row "go tool pprof, flame graph" flame_graph
total "from the archive to the flame graph"
stop
row "go build nats-server, build cache" build
row "start it" serve
row "go tool pprof, flame graph" flame_graph
total "again, with a build cache"
stop
