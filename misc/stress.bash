#!/usr/bin/env bash
# Copyright 2026 The gorefs Authors. All rights reserved.
# Use of this source code is governed by a BSD-style
# license that can be found in the LICENSE file.

# Runs misc/stress: recordings of references while everything else that a
# program can do to the runtime happens at once. Each refs profile must add up
# to the live heap.
#
#   misc/stress.bash [-for DURATION] [-n RUNS] [REGEXP]
#                     in each mode (see below), for 20s if nothing else is said;
#                     REGEXP selects modes by name; the mode arm64 runs only if it
#                     is named
#   misc/stress.bash -recordings N [REGEXP]
#                     N recordings at each GOMAXPROCS of 2, 4, 8, 16 and 32
#
# -n RUNS runs each mode, or each GOMAXPROCS, that many times.
# With -json it prints the stream that misc/tally reads, for all.bash. With -g
# GOROOT it tests that toolchain. The output of a run that fails is kept in a
# file whose name is printed.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$(pwd -P)
. misc/tally/tally.bash

goroot=$root/goroot duration=20s recordings="" json="" runs=1 wanted=.
usage() {
	echo "usage: misc/stress.bash [-json] [-g GOROOT] [-n RUNS] [-for DURATION | -recordings N] [REGEXP]" >&2
	exit 2
}
while [ $# -gt 0 ]; do
	case $1 in
	-json) json=1 ;;
	-g | -n | -for | -recordings)
		[ $# -gt 1 ] || usage
		case $1 in
		-g) goroot=$2 ;;
		-n) runs=$2 ;;
		-for) duration=$2 ;;
		-recordings) recordings=$2 ;;
		esac
		shift
		;;
	-*) usage ;;
	*) wanted=$1 ;;
	esac
	shift
done
unset GOROOT GOPATH GOOS GOARCH GOEXPERIMENT GODEBUG GOGC GOMAXPROCS GOMEMLIMIT
export GOTOOLCHAIN=local GOFLAGS="" GOENV=off GOWORK=off

programs=$(mktemp -d "${TMPDIR:-/tmp}/stress.XXXXXX")
trap 'rm -rf "$programs"' EXIT
logs=${TMPDIR:-/tmp}/stress.$$.logs

# program NAME builds the program in the way that NAME selects, unless that was
# done before.
program() {
	local output=$programs/$1
	if [ ! -f "$output" ]; then
		case $1 in
		plain) build "$output" "" ;;
		race) build "$output" CGO_ENABLED=1 -race ;;
		386 | arm64) build "$output" "GOARCH=$1 CGO_ENABLED=0" ;;
		*) build "$output" "GOEXPERIMENT=$1" ;;
		esac
	fi
}

# build OUTPUT VARIABLES FLAG...
build() {
	local output=$1 variables=$2
	shift 2
	# shellcheck disable=SC2086 # several variables
	env GOGC=off GOMEMLIMIT=2GiB $variables "$goroot/bin/go" build -C misc/stress -o "$output" "$@" .
}

# run NAME PROGRAM VARIABLES FLAG... runs a program, and keeps its output if it fails.
run() {
	local name=$1 program=$2 variables=$3 log
	shift 3
	program "$program" || return
	mkdir -p "$logs"
	log=$logs/$name.log
	# shellcheck disable=SC2086
	if env $variables "$programs/$program" -json -name "$name" "$@" >"$log" 2>&1; then
		grep -E "^(\{|$name: )" "$log"
		rm "$log"
		rmdir "$logs" 2>/dev/null || true
		return 0
	fi
	head -n 40 "$log"
	tail -n 100 "$log" | grep -E "^(\{|$name: )"
	echo "$name: all of it is in $log"
	return 1
}

# mode NAME PROGRAM VARIABLES FLAG... runs the program as often as -n asks, if
# REGEXP matches NAME.
mode() {
	local name=$1 i
	[[ $name =~ $wanted ]] || return 0
	for ((i = 1; i <= runs; i++)); do
		section "stress: $name" run "$@" || true
	done
}

modes() {
	local procs
	if [ -n "$recordings" ]; then
		for procs in 2 4 8 16 32; do
			mode "procs$procs" plain "" -procs "$procs" -recordings "$recordings" -ease 30
		done
		return
	fi
	mode plain plain "" -for "$duration"
	mode race race "" -for "$duration"
	mode 386 386 "" -for "$duration"
	mode staticlockranking staticlockranking "" -for "$duration"
	mode nogreenteagc nogreenteagc "" -for "$duration"
	if [ "$wanted" = arm64 ]; then # in a command of misc/qemu.bash, for example
		mode arm64 arm64 "" -procs 4 -for "$duration"
	fi
	mode stoptheworld plain GODEBUG=gcstoptheworld=1 -for "$duration"
}

if [ -n "$json" ]; then
	modes
else
	tallied modes
fi
