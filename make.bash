#!/usr/bin/env bash
# Copyright 2026 The gorefs Authors. All rights reserved.
# Use of this source code is governed by a BSD-style
# license that can be found in the LICENSE file.

# Builds the toolchain: goroot/bin/go. A later run only brings it up to date.
# misc/graft lays the overlay over upstream's release in goroot/; then
# upstream's own make.bash runs there, if anything that goes into the tools has
# changed.
#
#   BASE=go1.26           build on another release of lib/upstream.json than the
#                         first, in goroot-1.26/
#   GOROOT_UPSTREAM=DIR   take the release from DIR instead of downloading it;
#                         it is verified by its hashes each time. With BASE there
#                         are two releases: DIR1:DIR2
#   GOROOT_BOOTSTRAP=DIR  build with DIR/bin/go instead of the go in PATH
#   GO_DISTROUNDS=3       build the tools three times, the second time with the
#                         first ones, as upstream does; the result is the same
#   GOOS, GOARCH          build std and cmd for another platform as well
#
# The go that builds the tools is not verified. goroot/pkg/built has its
# version.

set -eu

# absolute prints a list of directories with colons between them, relative ones
# made absolute.
absolute() {
	local dir list=
	while IFS= read -r -d : dir; do
		case $dir in
		/*) ;;
		*) dir=$PWD/$dir ;;
		esac
		list=${list:+$list:}$dir
	done <<<"$1:"
	echo "$list"
}

if [ -n "${GOROOT_UPSTREAM:-}" ]; then
	GOROOT_UPSTREAM=$(absolute "$GOROOT_UPSTREAM")
	export GOROOT_UPSTREAM
fi
case ${GOROOT_BOOTSTRAP:-/} in
/*) ;;
*) export GOROOT_BOOTSTRAP="$PWD/$GOROOT_BOOTSTRAP" ;;
esac
cd "$(dirname "${BASH_SOURCE[0]}")"
root=$(pwd -P)
base=${BASE:-}
case $(cat VERSION) in
"$base"[.-]*) base= ;; # the first release
esac
goroot=goroot${base:+-${base#go}}
lock=.make.lock
log=.graft/make.log
job=       # process group of the step that is running
unbuilt="goroot/ is as it was before"
if [ -n "$base" ]; then unbuilt="$goroot/ is not built"; fi
building=  # set while bin and pkg of the goroot are half-built
locked=

die() {
	echo "make.bash: $*" >&2
	exit 1
}

say() { echo "make.bash: $*"; }

# end_group ends a process group, and returns when none of its processes is
# left.
end_group() {
	local tries=0
	kill -TERM -- "-$1" 2>/dev/null || true
	while kill -0 -- "-$1" 2>/dev/null; do
		tries=$((tries + 1))
		if [ $tries -gt 50 ]; then kill -KILL -- "-$1" 2>/dev/null || true; fi
		sleep 0.1
	done
}

# args_of prints the command line of a process. It needs no ps on Linux, because
# small systems have none.
args_of() { tr '\0' ' ' 2>/dev/null <"/proc/$1/cmdline" || ps -o args= -p "$1" 2>/dev/null; }

finish() {
	trap '' INT TERM HUP
	if [ -n "$job" ]; then end_group "$job"; fi
	if [ -n "$building" ]; then rm -rf "${goroot:?}/bin" "$goroot/pkg"; fi
	if [ -n "$locked" ]; then rm -rf "$lock"; fi
}
trap finish EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# step runs a command in a process group of its own, so that a signal to this
# script ends all processes of the command.
step() {
	local status=0
	set -m
	"$@" </dev/null &
	job=$!
	set +m
	echo "$job" >"$lock/job"
	wait "$job" || status=$?
	job=
	return $status
}

take_lock() {
	local pid group
	if ! mkdir "$lock" 2>/dev/null; then
		[ -d "$lock" ] || die "cannot write to $root"
		[ -s "$lock/pid" ] || sleep 1 # the other run may be just starting
		pid=$(cat "$lock/pid" 2>/dev/null || true)
		if [ -n "$pid" ] && { kill -0 "$pid" || ps -p "$pid"; } >/dev/null 2>&1; then
			die "another make.bash is running here, process $pid (if that is no make.bash, remove $root/$lock)"
		fi
		say "an earlier run was killed: starting over from what it left"
		group=$(cat "$lock/job" 2>/dev/null || true)
		if [ -n "$group" ] && args_of "$group" | grep -Eq 'make\.bash|/graft'; then
			end_group "$group" # what the killed run left running
		fi
		mv "$lock" "$lock.$$" 2>/dev/null && rm -rf "$lock.$$"
		mkdir "$lock" 2>/dev/null || die "another make.bash has just started here"
	fi
	locked=1
	echo $$ >"$lock/pid" || die "cannot write to $root"
}

# find_go sets go to a go command, if possible not the one that is built here.
find_go() {
	local candidate
	go=
	if [ -n "${GOROOT_BOOTSTRAP:-}" ]; then
		go=$GOROOT_BOOTSTRAP/bin/go
		[ -x "$go" ] || die "GOROOT_BOOTSTRAP: there is no $go"
		return
	fi
	while IFS= read -r candidate; do
		if [ -z "$go" ] || [ "$(goroot_of "$go")" = "$root/$goroot" ]; then go=$candidate; fi
	done <<EOF
$(type -ap go || true)
EOF
	[ -n "$go" ] || die "there is no go command in PATH: install Go 1.24 or later, or set GOROOT_BOOTSTRAP"
}

goroot_of() { GOTOOLCHAIN=local "$1" env GOROOT 2>/dev/null || true; }

# at_least A B C succeeds if the version in $go_version is A.B.C or later.
at_least() {
	local major minor patch
	IFS=. read -r major minor patch <<EOF
$go_version
EOF
	((major * 1000000 + minor * 1000 + ${patch:-0} >= $1 * 1000000 + $2 * 1000 + $3))
}

check_go() {
	local full
	full=$(GOTOOLCHAIN=local "$go" env GOVERSION 2>&1) || die "$go does not work: $full"
	go_version=$(echo "$full" | sed -n 's/.*go\([0-9][0-9]*\.[0-9][0-9]*\(\.[0-9][0-9]*\)\{0,1\}\).*/\1/p')
	[ -n "$go_version" ] || die "cannot tell the version of $go: $full"
	at_least 1 24 0 || die "$go is go$go_version: Go 1.24 or later is needed to build"
}

# bootstrap prints the GOROOT that upstream's make.bash is to build with.
bootstrap() {
	local upstream
	upstream=$(sed 's/-refs$//' VERSION)
	if at_least 1 24 6 && [ "$(goroot_of "$go")" != "$root/$goroot" ]; then
		goroot_of "$go"
	else
		GOTOOLCHAIN=$upstream "$go" env GOROOT || die "go$go_version cannot build $upstream, and $upstream's own go cannot be fetched: install Go 1.24.6 or later"
	fi
}

upstream_make() {
	cd "$goroot/src"
	GOENV=off GOTOOLCHAIN=local GOROOT_BOOTSTRAP=$1 GOCACHE=$2 GO_DISTROUNDS=${GO_DISTROUNDS:-1} ./make.bash 2>&1 | while IFS= read -r line; do
		printf '%s\n' "$line" >>"$root/$log"
		case $line in
		Building*) printf 'make.bash: %4ds  %s\n' $((SECONDS - began)) "$line" ;;
		# Printed at once, because the log may be on that disk.
		*[Nn]'o space left on device'*) printf 'make.bash: the disk is full: %s\n' "$line" >&2 ;;
		esac
	done
	return "${PIPESTATUS[0]}"
}

full_build() {
	local from with cache
	from=$(bootstrap)
	cache=$("$go" env GOCACHE)
	with="$(GOTOOLCHAIN=local "$from/bin/go" env GOVERSION) in $from"
	say "building the tools with $with, taken as it is; this takes minutes (log: $log)"
	building=1
	rm -rf "${goroot:?}/bin" "$goroot/pkg"
	: >"$log"
	began=$SECONDS
	if ! step upstream_make "$from" "$cache"; then
		echo "make.bash: the build failed; the end of $log:" >&2
		tail -n 20 "$log" >&2
		exit 1
	fi
	printf '%s\nbuilt with %s\n' "$version" "$with" >"$goroot/pkg/built"
	building=
	say "built in $((SECONDS - began))s"
}

cross_build() {
	say "building std and cmd for $1/$2"
	CGO_ENABLED=${CGO_ENABLED:-0} GOOS=$1 GOARCH=$2 "$goroot/bin/go" install std cmd
}

command -v git >/dev/null || die "there is no git command in PATH"
target_os=${GOOS:-} target_arch=${GOARCH:-}
unset BASE GOOS GOARCH GOROOT GOBIN GOEXPERIMENT GOTOOLDIR GO_DISTFLAGS GO_GCFLAGS GO_LDFLAGS
# GOFLAGS is not empty, because an empty one means the value that go env -w has set.
export GOFLAGS=-buildvcs=false GOWORK=off
find_go
check_go
PATH=$(dirname "$go"):$PATH
take_lock

mkdir -p .graft
GOTOOLCHAIN=local step "$go" build -C misc/graft -o "$root/.graft/graft" . || die "cannot build misc/graft"
step .graft/graft assemble ${base:+-base "$base"} || die "$unbuilt"
version=$(head -n 1 "$goroot/VERSION")
if [ "$(head -n 1 "$goroot/pkg/built" 2>/dev/null || true)" = "$version" ]; then
	built=$(sed -n 's/^built with //p' "$goroot/pkg/built")
	say "the tools are up to date${built:+, built with $built}"
	if [ -n "${GOROOT_BOOTSTRAP:-}" ] && [ "${built#* in }" != "$(goroot_of "$go")" ]; then
		say "GOROOT_BOOTSTRAP is not used: to build the tools with it, remove $goroot/pkg/built first"
	fi
else
	full_build
fi

host_os=$("$goroot/bin/go" env GOHOSTOS) host_arch=$("$goroot/bin/go" env GOHOSTARCH)
if [ "${target_os:-$host_os}/${target_arch:-$host_arch}" != "$host_os/$host_arch" ]; then
	step cross_build "${target_os:-$host_os}" "${target_arch:-$host_arch}" || die "cannot build for ${target_os:-$host_os}/${target_arch:-$host_arch}"
fi

"$goroot/bin/go" version
# Quoted for a shell, because the path may have spaces.
say "to use it: export PATH=$(printf %q "$root/$goroot/bin"):\"\$PATH\""
