#!/usr/bin/env bash
# Copyright 2026 The gorefs Authors. All rights reserved.
# Use of this source code is governed by a BSD-style
# license that can be found in the LICENSE file.

# Runs test/refs.dir, the corpus of the refs and inuse profiles, in all modes of the
# collector, the compiler and the linker that could make a difference.
#
#   misc/refsmodes.bash [-n COUNT] [-g GOROOT] [REGEXP]
#
# In each mode the program runs COUNT times (default 3): alone, with many requests
# at once, and with mutators; then once more for the inuse profile, with every
# allocation sampled. REGEXP selects modes by name. A line tells of each
# mode how many runs were right in all, and how many profiles they took.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$(pwd -P)
goroot=$root/goroot count=3
usage() {
	echo "usage: misc/refsmodes.bash [-n COUNT] [-g GOROOT] [REGEXP]" >&2
	exit 2
}
while getopts n:g: flag; do
	case $flag in
	n) count=$OPTARG ;;
	g) goroot=$OPTARG ;;
	*) usage ;;
	esac
done
shift $((OPTIND - 1))
[ $# -le 1 ] || usage
wanted=${1:-.}
unset GOROOT GOPATH GOOS GOARCH GOEXPERIMENT GODEBUG GOGC GOMAXPROCS GOMEMLIMIT
export GOTOOLCHAIN=local GOFLAGS="" GOENV=off GOWORK=off

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
logs=$(mktemp -d "${TMPDIR:-/tmp}/refsmodes.XXXXXX")
cp -R test/refs.dir "$dir/src"
printf 'module refs.dir\ngo 1.27\n' >"$dir/src/go.mod"

# program NAME VARIABLE... -- FLAG... builds the corpus as $dir/NAME, once.
program() {
	local name=$1 variables=()
	shift
	while [ "$1" != -- ]; do
		variables+=("$1")
		shift
	done
	shift
	if [ ! -f "$dir/$name" ]; then
		(cd "$dir/src" && env ${variables[@]+"${variables[@]}"} "$goroot/bin/go" build -o "$dir/$name" "$@" .)
	fi
}

failed=0 ran=0 flags=()

# run MODE PROGRAM VARIABLE... runs a program in a mode. A run that is right ends
# with the number of its profiles; one that ends in any other way has failed, also
# one that does not end within 10 minutes.
run() {
	local mode=$1 program=$2 profiles=0 wrong=0 i n
	shift 2
	for ((i = 1; i <= count; i++)); do
		log=$logs/$mode.$i.log
		if env "$@" timeout -s QUIT 600 "$dir/$program" -v -seed 0 ${flags[@]+"${flags[@]}"} >"$log" 2>&1 &&
			n=$(sed -n '$s/^\([1-9][0-9]*\) profiles of .* are right$/\1/p' "$log") && [ -n "$n" ]; then
			profiles=$((profiles + n))
			rm "$log"
		else
			wrong=$((wrong + 1))
		fi
	done
	echo "$mode: $((count - wrong)) of $count runs right, with $profiles profiles"
	if [ $wrong -gt 0 ]; then
		failed=1
		echo "$mode: see $logs/$mode.*.log"
	fi
}

# mode NAME PROGRAM VARIABLE... is a line of the table below: it builds and runs.
mode() {
	[[ $1 =~ $wanted ]] || return 0
	ran=$((ran + 1))
	case $2 in
	plain) program plain -- ;;
	race) program race -- -race ;;
	386) program 386 GOARCH=386 CGO_ENABLED=0 -- ;;
	stripped) program stripped -- -ldflags='-s -w' ;;
	pie) program pie -- -buildmode=pie ;;
	external) program external CGO_ENABLED=1 -- -ldflags=-linkmode=external ;;
	noopt) program noopt -- -gcflags='all=-N -l' ;;
	nogreenteagc) program nogreenteagc GOEXPERIMENT=nogreenteagc -- ;;
	nogreenteagc386) program nogreenteagc386 GOEXPERIMENT=nogreenteagc GOARCH=386 CGO_ENABLED=0 -- ;;
	esac
	run "$@"
}

mode plain plain
for procs in 1 2 8; do
	mode procs$procs plain GOMAXPROCS=$procs
done
mode checkmark plain GODEBUG=gccheckmark=1
mode stoptheworld1 plain GODEBUG=gcstoptheworld=1
mode stoptheworld2 plain GODEBUG=gcstoptheworld=2
mode clobberfree plain GODEBUG=clobberfree=1
mode noasyncpreempt plain GODEBUG=asyncpreemptoff=1
mode gogc1 plain GOGC=1
mode gogcoff plain GOGC=off
mode memlimit plain GOMEMLIMIT=200MiB GOGC=off
mode race race
mode race8 race GOMAXPROCS=8
mode 386 386
mode 386checkmark 386 GODEBUG=gccheckmark=1
mode stripped stripped
mode pie pie
mode external external
mode noopt noopt
mode nogreenteagc nogreenteagc
mode nogreenteagc8 nogreenteagc GOMAXPROCS=8
mode nogreenteagccheckmark nogreenteagc GODEBUG=gccheckmark=1
mode nogreenteagc386 nogreenteagc386
flags=(-full)
mode full plain
if [ $ran -eq 0 ]; then
	echo "refsmodes.bash: no mode's name matches $wanted" >&2
	failed=2
fi
rmdir "$logs" 2>/dev/null || true
exit $failed
