#!/usr/bin/env bash
# Copyright 2026 The gorefs Authors. All rights reserved.
# Use of this source code is governed by a BSD-style
# license that can be found in the LICENSE file.

# Runs a server in a cgroup of 256 MiB, with GODEBUG=memevidence, and checks what it leaves:
#
#   leak    the server leaks until the kernel kills it. Each run must leave evidence that
#           names the leak. RUNS runs (20 if not set) at each of RATES ("5000 20000 50000
#           200000" requests a second if not set), with and without GOMEMLIMIT, and as
#           many at 20000 with GOMAXPROCS=1 and with GOMAXPROCS=16
#   burst   one request takes more memory than there is, in each of the ways WAYS (all of
#           misc/demo/evidence -burst if not set), in cgroups of 256 MiB and of 1 GiB. Each
#           run must leave the stacks of goroutines and a heap profile that name the
#           request. RUNS runs of each
#   quiet   the server does not leak, for the time FOR (1h if not set), with and without
#           GOMEMLIMIT, and with small and large bodies, all at once. It must leave no
#           evidence
#   full    the folder is on a disk that is nearly full. Older evidence must remain, and a
#           set that the full disk cuts short must have complete files only
#   vlimit  a server that leaks dies of a limit of address space (ulimit -v), in no cgroup.
#           When it dies, it must write which code has allocated its memory. The same for
#           one request that takes more memory than there is
#
#   misc/evidence.bash [leak] [burst] [quiet] [full] [vlimit]
#
# Without an argument it checks all but quiet. All but vlimit need root, and a
# memory controller of cgroups of version 1 or 2 in which root can make cgroups.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$(pwd -P)
. misc/demo/processes.bash
runs=${RUNS:-20}
limit=$((256 << 20))

tmp=$(mktemp -d)
failed=0

# fail reports a failed check, and goes on.
fail() {
	say "FAIL: $*"
	failed=1
}

# cgroup NAME makes a cgroup with the limit, and sets the variable cgroup to its
# folder. The shell that starts a server there enters the cgroup first.
cgroups=()
cgroup() {
	local base file
	if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
		base=/sys/fs/cgroup file=memory.max
		echo +memory >$base/cgroup.subtree_control 2>/dev/null || true
	else
		base=/sys/fs/cgroup/memory file=memory.limit_in_bytes
	fi
	cgroup=$base/gorefs-evidence-$$-$1
	mkdir "$cgroup" || die "cannot make a cgroup: this needs root and a memory controller"
	cgroups+=("$cgroup")
	echo $limit >"$cgroup/$file"
}

# shellcheck disable=SC2317 # called by the trap
cleanup() {
	finish
	local c
	for c in "${cgroups[@]}"; do rmdir "$c" 2>/dev/null || true; done
}
trap cleanup EXIT

# inside CGROUP COMMAND... runs a command in a cgroup, in place of the shell.
inside() {
	echo $BASHPID >"$1/cgroup.procs"
	shift
	exec "$@"
}

step() { "$@" || die "failed: $(typed "$@")"; }

# names_leak SET reports whether the profiles in SET, a folder of evidence, name
# the leak: the allocation site and, if references have been recorded, the
# variable that holds the leak.
names_leak() {
	local text
	text=$("$go" tool pprof -top "$1/heap.pb.gz" 2>/dev/null) || return 1
	[[ $(sed -n 6,9p <<<"$text") == *main.request* ]] || return 1
	if [ -e "$1/refs.pb.gz" ]; then
		text=$("$go" tool pprof -traces "$1/refs.pb.gz" 2>/dev/null) || return 1
		[[ $text == *main.events* ]] || return 1
	fi
}

# is_complete GRAPH reports whether a heap graph has all references, and names the leak as
# a suspect.
is_complete() {
	local text
	text=$("$go" tool heapgraph suspects "$1" 2>/dev/null) || return 1
	[[ $text == *main.events* ]]
}

# leak RATE VARIABLE... runs the leaking server with a rate of requests and variables of
# the environment.
leak() {
	local rate=$1 named=0 complete=0 recorded=0 killed=0 i set status
	shift
	for ((i = 0; i < runs; i++)); do
		rm -rf "$tmp/evidence"
		status=0
		(inside "$cgroup" env "$@" GODEBUG=memevidence="$tmp/evidence" "$tmp/server" -leak -rate "$rate" -for 2m) \
			>"$tmp/log" 2>&1 || status=$?
		if [ $status = 137 ]; then killed=$((killed + 1)); fi
		for set in "$tmp"/evidence/memory-*; do
			if [ ! -e "$set" ]; then continue; fi
			if names_leak "$set"; then named=$((named + 1)); fi
			if [ -e "$set/refs.pb.gz" ]; then recorded=$((recorded + 1)); fi
			if [ -e "$set/heap.graph" ] && is_complete "$set/heap.graph"; then complete=$((complete + 1)); fi
		done
	done
	say "$rate requests a second${*:+, $*}: of $runs runs, $killed killed, $named with evidence that names the leak, $recorded with references, $complete with a complete heap graph"
	if [ $killed != "$runs" ] || [ $named != "$runs" ]; then fail "not all runs"; fi
}

check_leak() {
	cgroup leak
	local rate
	for rate in ${RATES:-5000 20000 50000 200000}; do
		leak "$rate"
		leak "$rate" GOMEMLIMIT=230MiB
	done
	leak 20000 GOMAXPROCS=1
	leak 20000 GOMAXPROCS=16
}

# names_request SET reports whether the stacks and the heap profile in SET name the
# request, or the function that it calls on other goroutines.
names_request() {
	local profile text
	for profile in goroutine heap; do
		text=$("$go" tool pprof -traces "$1/$profile.pb.gz" 2>/dev/null) || return 1
		[[ $text == *main.upload* || $text == *main.pieces* ]] || return 1
	done
}

# burst WAY MIB runs the server that takes too much memory in this way, in the cgroup.
burst() {
	local way=$1 mib=$2 killed=0 named=0 waited="" i set status
	for ((i = 0; i < runs; i++)); do
		rm -rf "$tmp/evidence"
		status=0
		(inside "$cgroup" env GODEBUG=memevidence="$tmp/evidence" "$tmp/server" -burst "$way" -for 2m) >"$tmp/log" 2>&1 || status=$?
		if [ $status = 137 ]; then killed=$((killed + 1)); fi
		set=$(find "$tmp/evidence" -name 'memory-*' | sort | head -n 1)
		if names_request "$set"; then named=$((named + 1)); fi
		waited+=" $(sed -n 's/^allocations have waited for: //p' "$set/evidence.txt" 2>/dev/null)" || true
	done
	say "burst, $way, $mib MiB: of $runs runs, $killed killed, $named with evidence that names the request; allocations waited:$waited"
	if [ $killed != "$runs" ] || [ $named != "$runs" ]; then fail "not all runs"; fi
}

check_burst() {
	local mib way
	for mib in 256 1024; do
		limit=$((mib << 20))
		cgroup burst$mib
		for way in ${WAYS:-inflate readall buffer append make pieces64 pieces1 late}; do burst "$way" $mib; done
	done
	limit=$((256 << 20))
}

check_quiet() {
	local duration=${FOR:-1h} number=0 server pids=""
	while read -r server; do
		number=$((number + 1))
		cgroup quiet$number
		# shellcheck disable=SC2086 # words
		(inside "$cgroup" env GODEBUG=memevidence="$tmp/quiet$number" $server -for "$duration") &
		pids+=" $!"
	done <<-END
		$tmp/server -sessions 10000
		GOMEMLIMIT=200MiB GOGC=off $tmp/server -sessions 14000
		$tmp/server -sessions 10000 -rate 20 -body 1048576
		GOMEMLIMIT=200MiB GOGC=off $tmp/server -sessions 10000 -rate 20 -body 1048576
	END
	for server in $pids; do
		wait "$server" || fail "a server ended"
	done
	if compgen -G "$tmp/quiet*/memory-*" >"$tmp/found"; then fail "there is evidence: $(cat "$tmp/found")"; fi
	say "$number servers that do not leak, for $duration: done"
}

check_full() {
	local disk=$tmp/disk first kib set
	mkdir "$disk"
	mount -t tmpfs -o size=8m tmpfs "$disk" || die "cannot mount a small disk"
	cgroup full
	serve() {
		(inside "$cgroup" env GODEBUG=memevidence="$disk/evidence" "$tmp/server" -leak -rate 5000 -for 2m) >"$tmp/log" 2>&1 || true
	}
	serve
	first=$(cd "$disk/evidence" && find . -path './memory-*' -type f | sort | xargs sha256sum) || {
		fail "the first run wrote no evidence"
		umount "$disk"
		return
	}
	for kib in 0 4 40 200; do
		# Leave $kib KiB of the disk free, and run the server again.
		rm -f "$disk/filler"
		head -c $(($(df --output=avail -k "$disk" | tail -n 1) * 1024 - kib * 1024)) /dev/zero >"$disk/filler"
		serve
		if ! (cd "$disk/evidence" && sha256sum --quiet -c <<<"$first"); then fail "older evidence is lost with $kib KiB"; fi
		if [ -n "$(find "$disk/evidence" -path '*.incomplete/.*' -type f)" ]; then fail "parts of files remain with $kib KiB"; fi
		set=$(find "$disk/evidence" -name 'memory-*' | sort | tail -n 1)
		say "with $kib KiB of the disk left: $(find "$set" -type f -printf '%f ')in ${set##*/}"
		"$go" tool pprof -top "$set/heap.pb.gz" >/dev/null 2>&1 || [ ! -e "$set/heap.pb.gz" ] || fail "$set/heap.pb.gz is damaged"
		grep 'not written' "$tmp/log" | cut -c 1-200 || true
	done
	umount "$disk"
}

check_vlimit() {
	local i text named=0
	for ((i = 0; i < runs; i++)); do
		rm -rf "$tmp/evidence"
		(
			ulimit -v 2500000
			GODEBUG=memevidence="$tmp/evidence" exec "$tmp/server" -leak -rate 200000 -size 65536 -for 2m
		) >"$tmp/log" 2>&1 || true
		text=$(sed -n '/^memory in bytes:/,$p' "$tmp"/evidence/crash-*.txt) || text=
		if [[ $text == *main.request* ]]; then named=$((named + 1)); fi
	done
	say "ulimit -v: of $runs runs, $named wrote the memory when they died, and it names the leak"
	if [ $named != "$runs" ]; then fail "not all runs"; fi
	named=0
	for ((i = 0; i < runs; i++)); do
		rm -rf "$tmp/evidence"
		(
			ulimit -v 2500000
			GODEBUG=memevidence="$tmp/evidence" exec "$tmp/server" -burst buffer -for 2m
		) >"$tmp/log" 2>&1 || true
		if grep -q main.upload "$tmp"/evidence/crash-*.txt; then named=$((named + 1)); fi
	done
	say "ulimit -v: of $runs runs, $named wrote the request's stack when they died of one request"
	if [ $named != "$runs" ]; then fail "not all runs"; fi
}

step "$go" build -C misc/demo -o "$tmp/server" ./evidence
if [ $# = 0 ]; then set -- leak burst full vlimit; fi
for check; do
	case $check in
	leak) check_leak ;;
	burst) check_burst ;;
	quiet) check_quiet ;;
	full) check_full ;;
	vlimit) check_vlimit ;;
	*) die "usage: misc/evidence.bash [leak] [burst] [quiet] [full] [vlimit]" ;;
	esac
done
exit $failed
