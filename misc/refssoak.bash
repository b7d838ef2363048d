#!/usr/bin/env bash
# Copyright 2026 The gorefs Authors. All rights reserved.
# Use of this source code is governed by a BSD-style
# license that can be found in the LICENSE file.

# Takes refs profiles back to back of a program whose goroutines allocate and
# move pointers as fast as they can, and checks each; at the end, that the
# program's memory is what it was after the first tenth of the time.
#
#   misc/refssoak.bash [-g GOROOT] [DURATION]
#
# DURATION is 20m by default.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$(pwd -P)
goroot=$root/goroot
usage() {
	echo "usage: misc/refssoak.bash [-g GOROOT] [DURATION]" >&2
	exit 2
}
while getopts g: flag; do
	case $flag in
	g) goroot=$OPTARG ;;
	*) usage ;;
	esac
done
shift $((OPTIND - 1))
[ $# -le 1 ] || usage
unset GOROOT GOPATH GOOS GOARCH GOEXPERIMENT GODEBUG GOGC GOMAXPROCS GOMEMLIMIT
export GOTOOLCHAIN=local GOFLAGS="" GOENV=off GOWORK=off

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cp -R test/refs.dir "$dir/src"
printf 'module refs.dir\ngo 1.27\n' >"$dir/src/go.mod"
(cd "$dir/src" && "$goroot/bin/go" build -o "$dir/corpus" .)
"$dir/corpus" -mutators 4 -soak "${1:-20m}"
