#!/usr/bin/env bash
# Copyright 2026 The gorefs Authors. All rights reserved.
# Use of this source code is governed by a BSD-style
# license that can be found in the LICENSE file.

# Draws the flame graph of a profile as a PNG picture, for the documentation: a
# screenshot of go tool pprof's own page. Needs chromium (Debian's package of
# that name).
#
#   misc/demo/picture.bash PROFILE PNG [SAMPLE_INDEX [HEIGHT [OPTION...]]]
#
# The default of SAMPLE_INDEX is stack_space, that of HEIGHT is 500 pixels, and
# that of the variable WIDTH is 1400 pixels. OPTIONs are pprof's. The commands
# below draw pprof's flame graphs in doc/images. The first ones are for profiles
# that misc/demo.bash and misc/demo/servers.bash save:
#
#   misc/demo/picture.bash demo-out/goroutine.pb.gz doc/images/nats-stack-space.png
#   misc/demo/picture.bash demo-out/refs.pb.gz doc/images/nats-refs.png live_space 290
#   go tool heapgraph export -o demo-out/retained.pb.gz pprof demo-out/heap.graph
#   misc/demo/picture.bash demo-out/retained.pb.gz doc/images/nats-retained.png live_space 230
#   misc/demo/picture.bash DIR/caddy/refs.pb.gz doc/images/caddy-refs.png live_space 400
#   misc/demo/picture.bash DIR/etcd/refs.pb.gz doc/images/etcd-refs.png live_space 470
#   misc/demo/picture.bash DIR/tsdb/refs.pb.gz doc/images/tsdb-unused.png unused_space 280
#   WIDTH=600 misc/demo/picture.bash DIR/nats/refs.pb.gz doc/images/nats-refs-narrow.png live_space 400
#   WIDTH=600 misc/demo/picture.bash DIR/caddy/refs.pb.gz doc/images/caddy-refs-narrow.png live_space 400
#   WIDTH=600 misc/demo/picture.bash DIR/etcd/refs.pb.gz doc/images/etcd-refs-narrow.png live_space 470
#   misc/demo/picture.bash DIR/orders/heap.pb.gz doc/images/orders-heap.png inuse_space 380
#   misc/demo/picture.bash DIR/orders/inuse.pb.gz doc/images/orders-inuse.png inuse_space 450 -tagroot=retained_by
#
# These are for profiles that misc/demo/growth saves, in a folder for each example:
#
#   misc/demo/picture.bash leak/memory.pb.gz doc/images/growth-leak.png memory_space 330 -diff_base=leak/base.memory.pb.gz
#   misc/demo/picture.bash spike/peak.pb.gz doc/images/growth-spike.png peak_space 260
#   misc/demo/picture.bash stacks/growth.pb.gz doc/images/growth-stacks.png stack_growth 400 -diff_base=stacks/base.growth.pb.gz
#   misc/demo/picture.bash fragmentation/memory.pb.gz doc/images/growth-fragmentation.png memory_space 300 -diff_base=fragmentation/base.memory.pb.gz
#   misc/demo/picture.bash database/growth.pb.gz doc/images/growth-database.png mapped_space 560 -base=database/base.growth.pb.gz
#
# These are for profiles that the commands of doc/tutorial.md save in /tmp/shop:
#
#   misc/demo/picture.bash /tmp/shop/refs.pb.gz doc/images/tutorial-refs.png live_space 260

set -euo pipefail

die() {
	echo "picture.bash: $*" >&2
	exit 1
}

if [ $# -lt 2 ]; then
	echo "usage: misc/demo/picture.bash PROFILE PNG [SAMPLE_INDEX [HEIGHT [OPTION...]]]" >&2
	exit 2
fi
profile=$1 png=$2 index=${3:-stack_space} height=${4:-500} options=("${@:5}")
go=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)/goroot/bin/go
[ -f "$profile" ] || die "there is no $profile: misc/demo.bash makes one"
[ -x "$go" ] || die "there is no $go: run ./make.bash first"
command -v chromium >/dev/null || die "there is no chromium in PATH"
"$go" tool pprof -top -nodecount=1 -sample_index="$index" "$profile" >/dev/null || die "$profile has no $index"

tmp=$(mktemp -d "${TMPDIR:-/tmp}/picture.XXXXXX")
pid=""
finish() {
	trap '' INT TERM HUP
	if [ -n "$pid" ]; then kill -TERM -- "-$pid" 2>/dev/null || true; fi
	wait
	rm -rf "$tmp"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# The page's server runs in a process group of its own, because it is a child of
# the go command.
: >"$tmp/log"
set -m
"$go" tool pprof -http=127.0.0.1: -no_browser -sample_index="$index" "${options[@]}" "$profile" </dev/null >"$tmp/log" 2>&1 &
set +m
pid=$!
url=""
for ((i = 0; i < 600; i++)); do
	url=$(sed -n 's,^Serving web UI on ,,p' "$tmp/log")
	if [ -n "$url" ] || ! kill -0 "$pid" 2>/dev/null; then break; fi
	sleep 0.1
done
[ -n "$url" ] || die "pprof did not start: $(cat "$tmp/log")"

# Chromium does not run as root with its sandbox. Without the sandbox there is
# no danger, because the page is pprof's, from this machine.
sandbox=""
if [ "$(id -u)" = 0 ]; then sandbox=--no-sandbox; fi
chromium --headless $sandbox --user-data-dir="$tmp/chromium" --hide-scrollbars --window-size="${WIDTH:-1400},$height" \
	--no-first-run --disable-background-networking --disable-component-update --disable-sync \
	--virtual-time-budget=5000 --screenshot="$tmp/picture.png" "$url/ui/flamegraph" >"$tmp/chromium.log" 2>&1 || true
[ -s "$tmp/picture.png" ] || die "chromium made no picture: $(tail -n 5 "$tmp/chromium.log")"
mv "$tmp/picture.png" "$png"
