#!/usr/bin/env bash
# Copyright 2026 The gorefs Authors. All rights reserved.
# Use of this source code is governed by a BSD-style
# license that can be found in the LICENSE file.

# Checks the repository, builds the toolchain and tests it: quick checks first,
# then make.bash, the tests in misc/ that need the toolchain, and run.bash,
# whose options it takes. With -full it also tests programs for linux/arm64 with
# qemu, builds and tests on the other bases of lib/upstream.json, runs the
# stress program, and tries a subset of other people's code. It stops only after
# failed checks and after a failed build of goroot/. The last line has the
# numbers of tests that passed, failed and were skipped, in all.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
root=$(pwd -P)
export GIT_OPTIONAL_LOCKS=0 # a test copies .git, while the other lane runs
. misc/tally/tally.bash

# ours prints those of our files whose names match one of the patterns.
ours() {
	local name
	for name; do
		find . \( -path ./goroot -o -path './goroot.*' -o -path './goroot-1.*' -o -path ./dist -o -path './dist.tmp.*' -o -path ./.git -o -path ./demo-out \) -prune -o \
			-type f -name "$name" -print
	done
}

check_gofmt() {
	local gofmt list
	gofmt=$(go env GOROOT)/bin/gofmt
	list=$(ours '*.go' | while IFS= read -r file; do "$gofmt" -l "$file"; done)
	if [ -n "$list" ]; then
		echo "not as gofmt writes them:"
		echo "$list"
		return 1
	fi
}

check_shell() {
	if command -v shellcheck >/dev/null; then
		ours '*.bash' run | tr '\n' '\0' | xargs -0 shellcheck -x
	else
		echo "shellcheck is not installed: skipped"
	fi
}

# builds is what a command that only builds runs with: see run.bash.
builds=(env GOGC=off GOMEMLIMIT=2GiB)

# test_modules GO DIR... vets and tests Go modules.
test_modules() {
	local go=$1 module ok=1
	shift
	for module; do
		section "$module: vet" "${builds[@]}" "$go" vet -C "$module" ./... || ok=
		section "$module: test" "$go" test -C "$module" -json -vet=off -timeout 30m ./... || ok=
	done
	[ -n "$ok" ]
}

# bases prints the bases besides the first.
bases() { sed -n '/"also"/,$s/.*"version": "\(go[0-9]*\.[0-9]*\).*/\1/p' lib/upstream.json; }

checks() {
	local ok=1 base
	section "gofmt" check_gofmt || ok=
	section "shellcheck" check_shell || ok=
	section "graft verify" go run -C misc/graft . verify || ok=
	for base in $(bases); do
		section "graft verify: $base" go run -C misc/graft . verify -base "$base" || ok=
	done
	[ -n "$ok" ]
}

# Modules that are tested with the go command in PATH: one judges the toolchain
# under test, and one builds it.
without_toolchain=(misc/tally misc/graft)

# Modules that go with any toolchain.
with_any=(misc/bench misc/compat)

# Modules that need the toolchain. One of them requires nats-server, which may
# need a later Go than the one in PATH.
with_toolchain=(misc/demo misc/demo/browser misc/vet misc/contexts misc/toolchain misc/dist misc/stress)

# other_bases builds and tests on the other bases.
other_bases() {
	local base
	for base in $(bases); do
		section "make.bash: $base" "${builds[@]}" BASE="$base" ./make.bash && BASE=$base ./run.bash -json
	done
}

# with_qemu tests programs for linux/arm64.
with_qemu() {
	if ! misc/qemu.bash -try; then
		echo "linux/arm64: skipped: qemu runs no programs here; see misc/qemu.bash"
		return
	fi
	misc/qemu.bash ./run.bash -json -arm64
	misc/qemu.bash misc/stress.bash -json arm64
}

tests_with_toolchain() { test_modules goroot/bin/go "${with_toolchain[@]}"; }
tests_of_runtimes() { ./run.bash -json -runtimes; }
tests_of_constants() { misc/debugconstants.bash -json -short; }
stress() { misc/stress.bash -json; }
tests_of_others() { ./run.bash -json -others; }

tests_without_toolchain() {
	test_modules go "${without_toolchain[@]}" || true
	test_modules goroot/bin/go "${with_any[@]}"
}

# rests is what -full adds to run.bash, and other people's code.
rests=(shared cmd 386 std beside full compat)

# others_tests runs the rests, each day from another one on, because CI may have
# time for two of them only.
others_tests() {
	local i today=$(($(date +%s) / 86400))
	for i in "${!rests[@]}"; do
		rest "${rests[(today + i) % ${#rests[@]}]}"
	done
}

rest() {
	case $1 in
	compat) misc/compat.bash -json -subset ;;
	*) ./run.bash -json -rest="$1" ;;
	esac
}

# parts is what two lanes run, one from the first part on and one from the last,
# until they meet, where the tests are for which there may be no time. Most tests of
# the first half leave a processor idle.
parts=(
	tests_with_toolchain tests_of_runtimes other_bases others_tests
	tests_of_constants stress with_qemu tests_of_others tests_without_toolchain
)

# lane PART... runs the parts that no lane has begun.
lane() {
	local part
	for part; do
		if mkdir "$begun/$part" 2>/dev/null || [ ! -d "$begun/$part" ]; then "$part" || true; fi
	done
}

first_lane() { lane "${parts[@]}"; }

last_lane() {
	local i reversed=()
	for ((i = ${#parts[@]} - 1; i >= 0; i--)); do reversed+=("${parts[i]}"); done
	lane "${reversed[@]}"
}

two_lanes() {
	begun=$(mktemp -d "${TMPDIR:-/tmp}/lanes.XXXXXX")
	at_once first_lane last_lane
	rm -rf "$begun"
}

all() {
	checks || return
	section "make.bash" "${builds[@]}" ./make.bash || return
	case " $* " in
	*" -full "*) two_lanes ;;
	*)
		tests_without_toolchain || true
		tests_with_toolchain || true
		./run.bash -json "$@"
		tests_of_constants
		;;
	esac
}

tallied all "$@"
