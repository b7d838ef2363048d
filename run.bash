#!/usr/bin/env bash
# Copyright 2026 The gorefs Authors. All rights reserved.
# Use of this source code is governed by a BSD-style
# license that can be found in the LICENSE file.

# Tests goroot/, which make.bash has built.
#
#   ./run.bash        our tests, some of them also with the race detector and for
#                     linux/386; upstream's short ones of the packages that the
#                     overlay touches; test/; and builds of the standard library for
#                     other platforms
#   ./run.bash -full  the same, then shared libraries; upstream's tests of touched
#                     packages of std in full, and for linux/386; and the rest of
#                     go test -short std cmd
#
#   ./run.bash -runtimes, ./run.bash -others, ./run.bash -rest=NAME
#                     the parts of these, of which all.bash runs two at once. What
#                     -full adds has the names shared, cmd, 386, std, beside and full
#
#   ./run.bash -arm64 only our tests of the standard library, without slow ones and those of
#                     runtime/evidence, for linux/arm64. Programs for linux/arm64
#                     must run here: see misc/qemu.bash
#
# With BASE=go1.26 it tests goroot-1.26/, which make.bash has built with the same
# setting: our tests, and upstream's of runtime, runtime/pprof and net/http/pprof.
#
# With -json it prints the stream that misc/tally reads, for all.bash.
#
# A failed section does not stop the next ones. The last line has the numbers of
# tests that passed, failed and were skipped. lib/upstream-failures lists tests
# that fail without our changes, too.
#
# Upstream tests its release with files that are not in the module from which we
# take the release. Without these files, some tests of go test -short std cmd do
# less, or nothing:
#
#   test/               cmd/internal/testdir sees only our tests, and TestStdKen of
#                       go/types and types2 sees no file
#   doc/godebug.md      internal/godebugs TestAll is skipped
#   api/go1*.txt        cmd/api -check, which dist test adds, cannot run
#
# Of the tests that dist test adds to go test std cmd, this script runs only
# test/ and cmd/relnote -check. It leaves out the others, such as those with
# other build tags, experiments, GODEBUG settings and link modes. With the race
# detector, it tests other packages than dist test does (run_race).

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
root=$(pwd -P)
. misc/tally/tally.bash

full="" json="" run=sections
for arg; do
	case $arg in
	-full) full=1 ;;
	-json) json=1 ;;
	-runtimes) run=runtimes ;;
	-others) run=others ;;
	-rest=shared | -rest=cmd | -rest=386 | -rest=std | -rest=beside | -rest=full) run=rest_${arg#-rest=} ;;
	-arm64) run=arm64_sections ;;
	*)
		echo "usage: ./run.bash [-full] [-runtimes | -others | -rest=NAME | -arm64] [-json]" >&2
		exit 2
		;;
	esac
done

base=${BASE:-}
case $(cat VERSION) in
"$base"[.-]*) base= ;; # the first release
esac
goroot=goroot${base:+-${base#go}}
go=$root/$goroot/bin/go
if [ ! -f "$goroot/pkg/built" ]; then
	echo "run.bash: $goroot/ is not built: run ${base:+BASE=$base }./make.bash first" >&2
	exit 1
fi

# gotool runs the toolchain under test where upstream's own tests run it, free of the user's settings.
gotool() {
	(
		unset BASE CDPATH GOROOT GOPATH GOBIN GOEXPERIMENT GODEBUG GOTOOLDIR
		cd "$root/$goroot/src"
		GOENV=off GOFLAGS="" GOWORK=off GOTOOLCHAIN=local "$go" "$@"
	)
}

# builds COMMAND... runs a command that only builds. Its processes end before a
# collection of garbage pays, and without any they take three quarters of the time.
builds() { GOGC=off GOMEMLIMIT=2GiB "$@"; }

# tested FLAG... -- PACKAGE... compiles the packages' tests, and runs them.
tested() {
	local flags=() building=()
	while [ "$1" != -- ]; do
		flags+=("$1")
		if [ "$1" = -race ]; then building+=("$1"); fi
		shift
	done
	shift
	builds gotool list -test -export -deps ${building[@]+"${building[@]}"} "$@" >/dev/null 2>&1 || true # go test says what is wrong
	gotool test -json -vet=off -timeout 30m ${flags[@]+"${flags[@]}"} "$@"
}

# touched prints the packages of std that the overlay's files in src/ belong to,
# and packages whose tests look at these from outside: go/build, which has the list
# of the packages that each standard package is allowed to import; and, if a file
# is in runtime/, all packages there and net/http/pprof, which serves the runtime's
# profiles.
touched() {
	local files
	files=$(cd src && find . -type f ! -path './cmd/*')
	echo go/build
	printf '%s\n' "$files" | sed -e '/^$/d' -e 's,^\./,,' -e 's,/testdata/.*,/,' -e 's,/[^/]*$,,' | sort -u
	case $files in
	*./runtime/*) printf '%s\n' runtime/... net/http/pprof ;;
	esac
}

# changed prints the packages of commands that the overlay's files belong to.
changed() {
	(cd src && find cmd -name '*.go*' ! -path '*/testdata/*') | sed 's,/[^/]*$,,' | sort -u
}

# with_main adds the commands to a list of their packages, because a command has
# the tests of what its packages do.
with_main() { sed -e p -e '/^cmd\/internal\//!s,^\(cmd/[^/]*\)/.*,\1,' | sort -u; }

# with_tests prints the packages in which the overlay has test files of its own.
with_tests() {
	(cd src && find . -name '*_test.go' ! -path '*/testdata/*') | sed -e 's,^\./,,' -e 's,/[^/]*$,,' | sort -u
}

# our_tests prints a pattern that matches the names of the tests in the
# overlay's own test files.
our_tests() {
	find src -name '*_test.go' ! -path '*/testdata/*' -exec sed -n 's/^func \(Test[A-Za-z0-9_]*\)(.*/\1/p' {} + |
		grep -v '^TestMain$' | sort -u | paste -sd '|' - | sed 's/.*/^(&)$/'
}

# our_scripts prints a pattern that matches the names of the overlay's scripts
# for tests of cmd/go.
our_scripts() {
	find src/cmd/go/testdata/script -name '*.txt' | sed -e 's,.*/,,' -e 's/\.txt$//' | paste -sd '|' - | sed 's,.*,TestScript/^(&)$,'
}

# on PLATFORM COMMAND... runs the command with GOOS and GOARCH set, and without
# cgo.
on() {
	local platform=$1
	shift
	CGO_ENABLED=0 GOOS=${platform%/*} GOARCH=${platform#*/} "$@"
}

vet() {
	# shellcheck disable=SC2046 # one argument a package
	builds gotool vet "${std[@]}" $(changed)
}

# build_for builds and vets what may depend on the platform: of the commands that
# the overlay touches, only heapgraph and memreport.
build_for() {
	on "$1" builds gotool build std cmd/heapgraph/... cmd/memreport/... && on "$1" vet_source
}

# vet_source vets packages with tests of ours from source, for GOOS and GOARCH. For
# their tests, go vet would compile most of std again for each low package.
vet_source() (
	cd "$root/$goroot/src"
	PATH=$root/$goroot/bin:$PATH GOENV=off GOFLAGS="" GOWORK=off GOTOOLCHAIN=local builds "$tmp/vet" "${ours[@]}" cmd/heapgraph/... cmd/memreport/...
)

run_386() {
	if [ "$host" = linux/amd64 ]; then
		section "linux/386: packages with tests of ours, short" on linux/386 tested -short -- "${ours[@]}" || true
	else
		echo "linux/386: skipped: its programs do not run on $host"
	fi
}

run_race() {
	if [ "$(gotool env CGO_ENABLED)" = 1 ]; then
		section "race detector" tested -race -short -- runtime/pprof runtime/metrics net/http/pprof || true
	else
		echo "race detector: skipped: it needs cgo, and there is no C compiler"
	fi
}

# test_others COMMAND... -- PACKAGE... -- PACKAGE... has a command such as “tested
# -short” test the first packages, without the others. Upstream has vetted those in
# which the overlay changes nothing.
test_others() {
	local command=() all=() rest
	while [ "$1" != -- ]; do command+=("$1") && shift; done
	shift
	while [ "$1" != -- ]; do all+=("$1") && shift; done
	shift
	rest=$(comm -23 <(gotool list "${all[@]}" | sort) <(gotool list "$@" | sort)) || return
	# shellcheck disable=SC2086 # one argument a package
	"${command[@]}" -- $rest
}

# test_commands tests the touched commands. Most of the others' tests only build.
test_commands() {
	local command graphs=() building=()
	for command in ${commands[@]+"${commands[@]}"}; do
		case $command in
		cmd/heapgraph* | cmd/memreport*) graphs+=("$command") ;;
		*) building+=("$command") ;;
		esac
	done
	if [ ${#graphs[@]} -gt 0 ]; then section "heapgraph, memreport, short" tested -short -- "${graphs[@]}" || true; fi
	if [ ${#building[@]} -gt 0 ]; then # in full they need a network
		section "touched packages of commands, short" builds tested -short -- "${building[@]}" || true
	fi
}

# vets vets the touched packages, and builds and vets for other platforms.
vets() {
	local platform
	section "vet" vet || true
	section "misc/vet: build" gotool build -C "$root/misc/vet" -o "$tmp/vet" . || return 0
	for platform in linux/386 linux/arm64 darwin/arm64 windows/amd64; do
		section "build std, vet: $platform" build_for "$platform" || true
	done
}

test_std() {
	section "our tests of std" tested -run "$(our_tests)" -- "${ours[@]}" || true
	section "upstream's tests beside them, short" tested -short -skip "$(our_tests)" -- "${ours[@]}" || true
	section "other touched packages of std, short" test_others tested -short -- "${std[@]}" -- "${ours[@]}" || true
}

# sections tests the first release.
sections() {
	at_once runtimes others # tests of the runtime leave a processor idle
	if [ -n "$full" ]; then
		rest_shared
		rest_cmd
		rest_386
		rest_std
		rest_beside
		rest_full
	fi
}

runtimes() {
	test_std
	run_race
}

others() {
	vets
	test_commands
	section "test/" tested -- cmd/internal/testdir || true
	section "release notes" gotool test -json -vet=off cmd/relnote -check || true
	run_386
}

# What -full adds: more of upstream's tests, most of them of packages in which the
# overlay changes nothing.

rest_shared() { # skipped with -short; writes to a copy of goroot
	if [ "$host" = linux/amd64 ]; then
		spare_section "shared libraries" builds tested -- cmd/cgo/internal/testshared || true
	fi
}

rest_cmd() {
	spare_section "the rest of cmd, short" test_others builds tested -short -- cmd -- ${commands[@]+"${commands[@]}"} || true
}

rest_386() {
	if [ "$host" = linux/amd64 ]; then
		spare_section "linux/386: other touched packages of std, short" on linux/386 test_others tested -short -- "${std[@]}" -- "${ours[@]}" || true
	fi
}

rest_std() { spare_section "the rest of std, short" test_others tested -short -- std -- "${std[@]}" || true; }

rest_beside() {
	spare_section "upstream's tests beside ours of std, in full" tested -skip "$(our_tests)" -- "${ours[@]}" || true
}

rest_full() { spare_section "other touched packages of std, in full" test_others tested -- "${std[@]}" -- "${ours[@]}" || true; }

# base_sections tests another base than the first one.
base_sections() {
	local package others=() whole=(runtime runtime/pprof net/http/pprof)
	local race='^(TestEmbedding|TestRefsGlobals)$/^race$' # compiles all of std
	while IFS= read -r package; do
		case " ${whole[*]} " in
		*" $package "*) ;;
		*) others+=("$package") ;;
		esac
	done < <(with_tests)
	section "$base: misc/vet: build" gotool build -C "$root/misc/vet" -o "$tmp/vet" . || true
	section "$base: vet" on "$host" vet_source || true
	section "$base: our tests, short" tested -short -run "$(our_tests)" -skip "$race" -- "${others[@]}" || true
	section "$base: our scripts of cmd/go" tested -run "$(our_scripts)" -- cmd/go || true
	section "$base: ${whole[*]}, short" tested -short -- "${whole[@]}" || true
	section "$base: test/" tested -- cmd/internal/testdir || true
}

# arm64_sections leaves out tests that take minutes with qemu because they
# count many samples. Their results do not depend on the platform.
arm64_sections() {
	local packages slow='^(TestInuseEqualsHeap|TestMemLabels(Churn|Many|Off|Totals)|TestMemUsage(Rates|Text))$'
	local memory='^TestMemUsageResident$/^(MADV_FREE|huge_pages)$|^TestMemUsageForeign$' # qemu takes no advice about memory, and its smaps are those of the host
	mapfile -t packages < <(printf '%s\n' "${ours[@]}" | grep -v '^runtime/evidence$') # its tests limit the memory of processes, and qemu ignores that
	section "linux/arm64: our tests of std, short" on linux/arm64 tested -short -run "$(our_tests)" -skip "$slow|$memory" -- "${packages[@]}" || true
}

tmp=$(mktemp -d "${TMPDIR:-/tmp}/run.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
unset GOOS GOARCH
host=$(gotool env GOHOSTOS)/$(gotool env GOHOSTARCH)
mapfile -t std < <(touched)
mapfile -t commands < <(changed | with_main)
mapfile -t ours < <(with_tests | grep -v '^cmd/')
if [ -n "$base" ] && [ "$run" = sections ]; then run=base_sections; fi
if [ -n "$json" ]; then
	$run
else
	tallied "$run"
fi
