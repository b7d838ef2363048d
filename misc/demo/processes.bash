# Copyright 2026 The gorefs Authors. All rights reserved.
# Use of this source code is governed by a BSD-style
# license that can be found in the LICENSE file.
# shellcheck shell=bash

# This file has functions for the processes that a script starts. dist.bash
# sources it, and in misc: container.bash, demo.bash, demo/parca/parca.bash,
# demo/servers.bash, evidence.bash, firstgraph.bash and scopes.bash. Before they
# source it, they set root, the project's folder. Each process that they start
# by start or step runs in a process group of its own. All these groups are
# ended when the script ends, also if SIGHUP, SIGINT or SIGTERM ends it.

go=${root:?}/goroot/bin/go
groups="" # process groups that run, the last one first
tmp=""    # a folder that is removed at the end

die() {
	echo "${0##*/}: $*" >&2
	exit 1
}

say() { echo "${0##*/}: $*"; }

# absolute prints the absolute name of a file. The user may have named the file
# relative to the folder $here.
absolute() {
	case $1 in
	/*) echo "$1" ;;
	*) echo "${here:?}/$1" ;;
	esac
}

# typed prints a command as it is typed, with spaces and the like in its arguments quoted.
typed() {
	local line
	printf -v line ' %q' "$@"
	echo "${line# }"
}

# end_groups ends process groups.
end_groups() {
	local group i
	for group; do
		kill -TERM -- "-$group" 2>/dev/null || true
	done
	for group; do
		for i in 1 2 3 4 5 6 7 8 9 10 last; do
			kill -0 -- "-$group" 2>/dev/null || break
			if [ "$i" = last ]; then kill -KILL -- "-$group" 2>/dev/null || true; fi
			sleep 0.5
		done
	done
}

finish() {
	trap '' INT TERM HUP
	# shellcheck disable=SC2086 # numbers
	end_groups $groups
	wait
	if [ -n "$tmp" ]; then rm -rf "$tmp"; fi
}
trap finish EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# start runs a command beside the script, in a process group of its own, and sets pid.
start() {
	set -m
	"$@" </dev/null &
	set +m
	pid=$!
	groups="$pid $groups"
}

# step runs a command to its end. Unlike a plain call, it lets a signal end the
# script at once.
step() {
	local status=0
	start "$@"
	wait "$pid" || status=$?
	groups=${groups#"$pid "}
	return "$status"
}

# await WHAT LOG COMMAND... waits until the command succeeds, and tries it every
# 0.1 s, at most 600 times. If the process pid ends first, or no try succeeds,
# await ends the script.
await() {
	local what=$1 log=$2 i
	shift 2
	for ((i = 0; i < 600; i++)); do
		if "$@" >/dev/null 2>&1; then return; fi
		if ! kill -0 "$pid" 2>/dev/null; then break; fi
		sleep 0.1
	done
	tail -n 20 "$log" >&2
	die "$what did not start; above is the end of $log"
}

tool() { GOROOT="" GOFLAGS="" GOWORK=off GOTOOLCHAIN=local "$go" "$@"; }
