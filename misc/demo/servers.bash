#!/usr/bin/env bash
# Copyright 2026 The gorefs Authors. All rights reserved.
# Use of this source code is governed by a BSD-style
# license that can be found in the LICENSE file.

# Reports how much of the live heap of real servers the refs profile knows. It
# builds each server with the toolchain in goroot/, starts it on 127.0.0.1, puts
# load on it, saves its refs profile in DIR/SERVER, and prints the report that
# demo/share makes of the profile. It also saves a second refs profile a second
# later, and the heap and inuse profiles. From the inuse profile it prints which
# elements retain the most, and which types have the most bytes. If
# servers/expected has the paths that a server's author would give, it prints
# the share of the live heap that is under these paths, and how many bytes have
# moved between the two refs profiles. It also saves two heap graphs, old.graph
# and new.graph, a second apart, for go tool heapgraph and for the pictures that
# demo/browser makes. It prints how many bytes have another dominator in the
# second graph (demo/moved).
#
#   misc/demo/servers.bash DIR [SERVER...]
#
# SERVERs are nats, etcd, caddy, tsdb, checker, grpcchat, badgerload, fastcache, informer,
# and orders, the example of doc/tutorial.md; all if none is named.
#
# Ports are from BASE on (23790 if that is not set). If CORES is set, it also stops the load,
# takes a heap graph and then a core file by gdb's gcore, and prints how the graphs from the
# process and from the core file differ, and whether the graph is the same if the executable
# is stripped. The load of a server that makes its own cannot be stopped. What it changes
# between the graph and the core file is among the differences.

set -euo pipefail
all="nats etcd caddy tsdb checker grpcchat badgerload fastcache informer orders"

if [ $# -lt 1 ]; then
	echo "usage: misc/demo/servers.bash DIR [${all// /|}]..." >&2
	exit 2
fi
mkdir -p "$1"
out=$(cd "$1" && pwd -P)
shift
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
root=$(pwd -P)
. misc/demo/processes.bash
base=${BASE:-23790}
address=127.0.0.1:$base      # of the server
second=127.0.0.1:$((base + 1)) # of what else it listens on
profiles=127.0.0.1:$((base + 2))
connections=2000 # for caddy and fastcache

# build_NAME builds the server NAME and its load. The function NAME starts the
# server, with its files in $tmp, and waits until it listens, unless the server
# makes its own load. load_NAME starts the load.

build_nats() { step tool build -C misc/demo -o "$tmp/" github.com/nats-io/nats-server/v2 ./load; }
nats() {
	start "$tmp/nats-server" -a 127.0.0.1 -p "$base" --profile $((base + 2)) -js -sd "$tmp/jetstream" >"$log" 2>&1
	await nats "$log" answers "http://$profiles/debug/pprof/"
}
load_nats() { start "$tmp/load" -server "nats://$address" >"$load" 2>&1; }

build_etcd() {
	step tool build -C misc/demo/servers -o "$tmp/etcd" go.etcd.io/etcd/server/v3 &&
		step tool build -C misc/demo/servers -o "$tmp/" ./etcdload
}
etcd() {
	profiles=$address
	start "$tmp/etcd" --data-dir "$tmp/etcd.data" --unsafe-no-fsync --enable-pprof --log-level warn \
		--listen-client-urls "http://$address" --advertise-client-urls "http://$address" \
		--listen-peer-urls "http://$second" --initial-advertise-peer-urls "http://$second" \
		--initial-cluster "default=http://$second" >"$log" 2>&1
	await etcd "$log" answers "http://$address/health"
}
load_etcd() { start "$tmp/etcdload" "$address" >"$load" 2>&1; }

build_caddy() {
	step tool build -C misc/bench/servers/caddy -o "$tmp/" github.com/caddyserver/caddy/v2/cmd/caddy &&
		step tool build -C misc/demo/servers -o "$tmp/" ./httpload
}
caddy() {
	local i
	mkdir "$tmp/www" "$tmp/home"
	for ((i = 0; i < 50; i++)); do head -c 2000 /dev/urandom | base64 >"$tmp/www/$i.txt"; done
	cat >"$tmp/Caddyfile" <<-END
		{
			admin $profiles
			skip_install_trust
			auto_https disable_redirects
		}
		https://localhost:$base {
			bind 127.0.0.1
			tls internal
			encode gzip
			reverse_proxy $second
		}
		http://$second {
			bind 127.0.0.1
			root * $tmp/www
			file_server
		}
	END
	start env HOME="$tmp/home" XDG_DATA_HOME="$tmp/home" XDG_CONFIG_HOME="$tmp/home" "$tmp/caddy" run --config "$tmp/Caddyfile" >"$log" 2>&1
	await caddy "$log" answers -k "https://localhost:$base/0.txt"
}
load_caddy() { start "$tmp/httpload" "https://localhost:$base" "$connections" >"$load" 2>&1; }

build_grpcchat() { step tool build -C misc/demo/servers -o "$tmp/" ./grpcchat; }
grpcchat() {
	start "$tmp/grpcchat" serve "$address" "$profiles" >"$log" 2>&1
	await grpcchat "$log" answers "http://$profiles/debug/pprof/"
}
load_grpcchat() { start "$tmp/grpcchat" load "$address" >"$load" 2>&1; }

build_fastcache() { step tool build -C misc/demo/servers -o "$tmp/" ./fastcache ./httpload; }
fastcache() {
	start "$tmp/fastcache" "$address" "$profiles" >"$log" 2>&1
	await fastcache "$log" answers "http://$address/"
}
load_fastcache() { start "$tmp/httpload" "http://$address" "$connections" >"$load" 2>&1; }

# The other servers make their own load.
build_tsdb() { step tool build -C misc/demo/servers -o "$tmp/" ./tsdb; }
tsdb() { start "$tmp/tsdb" "$tmp/tsdb.data" "$profiles" >"$load" 2>"$log"; }
load_tsdb() { :; }

build_checker() { step tool build -C misc/demo/servers -o "$tmp/" ./checker; }
checker() { start env CGO_ENABLED=0 "$tmp/checker" "$profiles" net/http >"$load" 2>"$log"; }
load_checker() { :; }

build_badgerload() { step tool build -C misc/demo/servers -o "$tmp/" ./badgerload; }
badgerload() { start "$tmp/badgerload" "$tmp/badger.data" "$profiles" >"$load" 2>"$log"; }
load_badgerload() { :; }

build_informer() { step tool build -C misc/demo/servers -o "$tmp/" ./informer; }
informer() { start "$tmp/informer" "$profiles" >"$load" 2>"$log"; }
load_informer() { :; }

build_orders() { step tool build -C misc/demo -o "$tmp/" ./orders; }
orders() { start "$tmp/orders" "$profiles" >"$load" 2>"$log"; }
load_orders() { :; }

answers() { curl -fsS -o /dev/null "$@"; }

# table FILE OPTION... prints the beginning of a table of a profile, without the middle of long lines.
table() {
	echo
	echo "go tool pprof -top ${*:2}"
	step tool tool pprof -top -nodecount=12 "${@:2}" "$1" >"$tmp/table" 2>&1 || die "$(cat "$tmp/table")"
	awk '/^ *flat / { table = 1 }
		table && length > 180 { $0 = substr($0, 1, 80) " ... " substr($0, length - 94) }
		table' "$tmp/table"
}

# save PROFILE FILE saves a profile of the server.
save() {
	step curl -fsS --max-time 300 -o "$out/$name/$2" "http://$profiles/debug/pprof/$1" || die "no profile $1 of $name; see $log"
}

# take_core SERVER LOAD takes a heap graph and right after it a core file of a process, while
# the process group of its load is stopped. LOAD is empty if the server makes its own load.
# Such a server ends after a minute.
take_core() {
	exe=$(readlink "/proc/$1/exe") || die "$name has ended"
	if [ -n "$2" ]; then
		kill -STOP -- "-$2"
		sleep 2
	else
		say "$name makes its own load, which goes on"
	fi
	save heapgraph last.graph
	gcore -o "$tmp/core" "$1" >"$tmp/gcore" 2>&1 || die "$(tail -n 3 "$tmp/gcore")"
	if [ -n "$2" ]; then kill -CONT -- "-$2"; fi
	core=$tmp/core.$1
}

# compare_core compares the core file and the heap graph that take_core has taken.
compare_core() {
	step tool test cmd/heapgraph/internal/core -count=1 -run Files -v "-graph=$out/$name/last.graph" "-core=$core" "-exe=$exe" \
		>"$out/$name/core.txt" || die "$(cat "$out/$name/core.txt")"
	step strip -o "$tmp/stripped" "$exe" || die "cannot strip $exe"
	step tool tool heapgraph core -o "$tmp/linked.graph" "$exe" "$core" || die "no graph from the core file"
	step tool tool heapgraph core -o "$tmp/stripped.graph" "$tmp/stripped" "$core" || die "no graph if stripped"
	rm "$core"
	echo
	cut -c 1-180 "$out/$name/core.txt"
	if cmp "$tmp/linked.graph" "$tmp/stripped.graph"; then say "the graph is the same if the executable is stripped"; fi
}

# show NAME does all for one server.
show() {
	local name=$1 server loader exe core
	mkdir -p "$out/$name"
	log=$out/$name/log load=$out/$name/load.log
	profiles=127.0.0.1:$((base + 2))
	say "building $name"
	"build_$name" || die "cannot build $name"
	"$name"
	server=$pid
	"load_$name"
	loader=$pid
	if [ "$loader" = "$server" ]; then loader=""; fi
	await "the load" "$load" grep -q 'load is on' "$load"
	say "$(head -n 1 "$load")"
	sleep 5
	save refs refs.pb.gz
	sleep 1
	save refs later.pb.gz
	save inuse inuse.pb.gz
	save heap heap.pb.gz
	save heapgraph old.graph
	sleep 1
	save heapgraph new.graph
	if [ -n "${CORES-}" ]; then take_core "$server" "$loader"; fi
	step "$tmp/share" "$out/$name/refs.pb.gz"
	if [ -f "misc/demo/servers/expected/$name" ]; then
		echo
		step "$tmp/share" -expected "misc/demo/servers/expected/$name" "$out/$name/refs.pb.gz" "$out/$name/later.pb.gz"
	fi
	echo
	step "$tmp/moved" "$out/$name/old.graph" "$out/$name/new.graph"
	table "$out/$name/inuse.pb.gz" -tagleaf=retained_by
	table "$out/$name/inuse.pb.gz" -tagroot=retained_by -cum
	table "$out/$name/inuse.pb.gz" -tagleaf=type
	if [ -n "${CORES-}" ]; then compare_core; fi
	# shellcheck disable=SC2086 # numbers
	end_groups $groups
	groups=""
}

command -v curl >/dev/null || die "there is no curl in PATH"
[ -x "$go" ] || die "there is no $go: run ./make.bash first"
tmp=$(mktemp -d "${TMPDIR:-/tmp}/servers.XXXXXX")
step tool build -C misc/demo -o "$tmp/" ./share ./moved || die "cannot build share and moved"
# shellcheck disable=SC2086 # names
if [ $# = 0 ]; then set -- $all; fi
for name; do
	case " $all " in
	*" $name "*) show "$name" ;;
	*) die "unknown server $name" ;;
	esac
done
