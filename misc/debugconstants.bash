#!/usr/bin/env bash
# Copyright 2026 The gorefs Authors. All rights reserved.
# Use of this source code is governed by a BSD-style
# license that can be found in the LICENSE file.

# Runs misc/stress and our tests with the checks that upstream's runtime has and
# does not make: constants that are false, experiments, and GODEBUG settings.
# They find misuse that is silent otherwise. An example is an allocation by code
# that runs inside of an allocation.
#
#   misc/debugconstants.bash [-for DURATION] [REGEXP]
#                     with each check, stress for 20s if nothing else is said,
#                     and our tests; REGEXP selects checks by name
#   misc/debugconstants.bash -short
#                     with all constants at once, stress for 20s, and the tests
#                     of runtime/memscope
#   misc/debugconstants.bash -list
#                     lists the checks, and the constants that are left out
#
# The edited files are made for each build (go build -overlay) and not kept.
# Constants that upstream adds or removes are found: the script fails until its
# tables have them.
#
# With -json it prints the stream that misc/tally reads, for all.bash. With -g
# GOROOT it tests that toolchain. The output of a run that fails is kept in a
# file whose name is printed.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$(pwd -P)
. misc/tally/tally.bash

# constants prints the constants: name, value, and files of package runtime with
# the function if only that function's constant is meant.
constants() {
	cat <<-'END'
		debugCheckCache true symtab.go
		debugExtendGrunningNoP true proc.go
		debugPcln true symtab.go
		debugReusableEnsureSwept true malloc.go
		doubleCheck true arena.go malloc_generated.go malloc_stubs.go mbitmap.go@bulkBarrierPreWriteSrcOnly mbitmap.go@divideByElemSize mbitmap.go@heapBits mbitmap.go@typePointersOfType mbitmap.go@typePointersOfUnchecked mbitmap.go@writeHeapBitsSmall
		doubleCheckMalloc true malloc.go
		doubleCheckReadMemStats true mstats.go
		doubleCheckReusable true malloc.go
		debugLog true ../internal/runtime/maps/table_debug.go
		stackNoCache 1 stack.go
		stackPoisonCopy 1 stack.go
		testSmallBuf true mwbbuf.go
	END
}

# alone prints constants that do not go with the others.
alone() {
	cat <<-'END'
		concurrentSweep false mgc.go
		debugScanConservative true mgc.go
	END
}

# inserted prints an edit for each check that upstream has only as a rule: the
# place, +, and a statement.
inserted() {
	cat <<-'END'
		proc.go@ready + if getg().m.mallocing != 0 { throw("ready during an allocation") }
	END
}

# left_out prints the other constants, with the reason.
left_out() {
	cat <<-'END'
		debugChan prints only
		debugCheckBP upstream's own callbacks from C fail: their frame pointers lead to the stack of C
		debugDeadlock prints only
		debugReusableLog prints only
		debugSelect prints only
		debugTraceReentrancy upstream's traceWriter.refill may grow the stack, which this constant forbids
		doubleCheckGreenTea upstream's moveInlineMarks fails for objects that are allocated while marking
		doubleCheckHeapSetType is doubleCheckMalloc
		_DebugGC prints only
		memDebug is for systems without virtual memory
		stackDebug prints only
		stackFaultOnFree has a mode of its own
		stackFromSystem has a mode of its own
		stackTraceDebug prints only
		timerDebug prints only
		useCheckmark is set during recordings
		verifyTimers upstream's timers.adjust fails: it verifies before it has set the length
	END
}

goroot=$root/goroot duration=20s json="" short="" list="" wanted=.
usage() {
	echo "usage: misc/debugconstants.bash [-json] [-g GOROOT] [-list | -short | [-for DURATION] [REGEXP]]" >&2
	exit 2
}
while [ $# -gt 0 ]; do
	case $1 in
	-json) json=1 ;;
	-short) short=1 ;;
	-list) list=1 ;;
	-g | -for)
		[ $# -gt 1 ] || usage
		case $1 in
		-g) goroot=$(cd "$2" && pwd -P) ;;
		-for) duration=$2 ;;
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

work=$(mktemp -d "${TMPDIR:-/tmp}/debugconstants.XXXXXX")
trap 'rm -rf "$work"' EXIT
logs=${TMPDIR:-/tmp}/debugconstants.$$.logs

# edits prints the edits of a row of a table: FILE[@FUNCTION] NAME VALUE.
edits() {
	local name=$1 value=$2 place
	shift 2
	for place; do
		echo "$place $name $value"
	done
}

# edit PLACE NAME VALUE DIR changes the constant in DIR's copy of the file, and
# fails if there is none. If NAME is +, it puts the statement VALUE at the
# beginning of the function.
edit() {
	local file=${1%@*} function="" copy=$4/${1%@*}
	case $1 in *@*) function=${1#*@} ;; esac
	mkdir -p "$(dirname "$copy")"
	[ -f "$copy" ] || cp "$goroot/src/runtime/$file" "$copy"
	name=$2 value=$3 awk -v function_="$function" '
		BEGIN { name = ENVIRON["name"]; value = ENVIRON["value"] }
		/^func / { inside = $0 ~ "[ )]" function_ "\\(" }
		name == "+" && inside && /^func / { $0 = $0 "\n" value; n++ }
		name != "+" && (function_ == "" || inside) && $0 ~ "^[\t ]*((const|var) )?" name " *= *(false|true|0)( |$)" {
			sub(/= *(false|true|0)/, "= " value)
			n++
		}
		{ print }
		END { exit n == 0 }' "$copy" >"$copy.edited" || {
		echo "no constant $2 in $1"
		return 1
	}
	mv "$copy.edited" "$copy"
}

# overlay DIR makes DIR/overlay.json of the edits that it reads.
overlay() {
	local dir=$1 place name value file separator=""
	mkdir -p "$dir/src/runtime"
	while read -r place name value; do
		edit "$place" "$name" "$value" "$dir/src/runtime" || return
	done
	{
		echo '{"Replace": {'
		find "$dir/src" -name '*.go' | while IFS= read -r file; do
			printf '%s"%s/src/%s": "%s"\n' "$separator" "$goroot" "${file#"$dir"/src/}" "$file"
			separator=,
		done
		echo '}}'
	} >"$dir/overlay.json"
}

# known fails if the runtime has a constant that no table has.
known() {
	local name tables ok=1
	tables=$(constants && alone && left_out)
	while IFS= read -r name; do
		if ! grep -q "^$name " <<<"$tables"; then
			echo "no table has the constant $name"
			ok=
		fi
	done < <(declared)
	[ -n "$ok" ]
}

# declared prints the constants of the runtime, and variables, that have the
# names of checks and are off, or on as long as they check nothing.
declared() {
	find "$goroot/src/runtime" "$goroot/src/internal/runtime" -name '*.go' ! -name '*_test.go' ! -path '*/testdata/*' -exec awk '
		/^(const|var) \($/ { block = 1 }
		/^\)/ { block = 0 }
		{ line = $0; sub(/^[\t ]+/, "", line) }
		(sub(/^(const|var) /, "", line) || block) &&
			line ~ /^[A-Za-z_]*([Dd]ebug|[Cc]heck|[Vv]erify|Poison|OnFree|FromSystem|NoCache|SmallBuf|concurrentSweep)[A-Za-z]* *= *(false|0|true|doubleCheckMalloc)( |$)/ {
			sub(/ *=.*/, "", line)
			print line
		}' {} + | sort -u
}

# built DIR FLAG... builds the stress program with DIR's overlay.
built() {
	local dir=$1
	shift
	GOGC=off GOMEMLIMIT=2GiB "$goroot/bin/go" build -C misc/stress -overlay "$dir/overlay.json" -o "$dir/stress" "$@" .
}

# stressed NAME DIR FLAG... runs the stress program, and keeps its output if it
# fails.
stressed() {
	local name=$1 log=$logs/$1.log dir=$2
	shift 2
	mkdir -p "$logs"
	if "$dir/stress" -json -name "$name" -for "$duration" "$@" >"$log" 2>&1; then
		grep -E "^(\{|$name: )" "$log"
		rm "$log"
		rmdir "$logs" 2>/dev/null || true
		return 0
	fi
	grep -m 1 -A 20 -E '^(fatal error|panic|runtime: )' "$log" || head -n 40 "$log"
	tail -n 100 "$log" | grep -E "^(\{|$name: )"
	echo "$name: all of it is in $log"
	return 1
}

# tested DIR FLAG... runs our tests with DIR's overlay.
tested() {
	local dir=$1 ours='Refs|Inuse|Retained|HeapGraph|Mem[LUS]|Growth|Peak|PageFault|StackS|RunTests'
	shift
	if [ -n "$short" ]; then
		"$goroot/bin/go" test -C "$goroot/src" -json -short -vet=off -overlay "$dir/overlay.json" "$@" runtime/memscope
		return
	fi
	"$goroot/bin/go" test -C "$goroot/src" -json -short -vet=off -timeout 30m -overlay "$dir/overlay.json" "$@" runtime/memscope testing/heaptest &&
		"$goroot/bin/go" test -C "$goroot/src" -json -short -vet=off -timeout 30m -overlay "$dir/overlay.json" -run "$ours" "$@" runtime runtime/pprof
}

# mode NAME FLAG VARIABLES SKIP runs everything with the edits that it reads, if
# REGEXP matches NAME. FLAG is one of go build. The stress program skips SKIP.
mode() {
	local name=$1 flag=$2 variables=$3 skip=$4 dir=$work/$1
	[[ $name =~ $wanted ]] || return 0
	section "$name: overlay" overlay "$dir" || return 0
	(
		# shellcheck disable=SC2086,SC2163 # several variables
		[ -z "$variables" ] || export $variables
		section "$name: build" built "$dir" ${flag:+"$flag"} || exit 0
		section "$name: stress" stressed "$name" "$dir" -skip "$skip" || true
		section "$name: tests" tested "$dir" ${flag:+"$flag"} || true
	)
	rm -rf "$dir"
}

# rows TABLE prints the edits of a table.
rows() {
	local row
	"$1" | while IFS= read -r row; do
		# shellcheck disable=SC2086 # words of a row
		edits $row
	done
}

modes() {
	local name value places
	section "tables of constants" known || true
	if [ -n "$short" ]; then
		{ rows constants && inserted; } | mode constants "" "" '^$'
		return
	fi
	while read -r name value places; do
		# shellcheck disable=SC2086
		edits "$name" "$value" $places | mode "$name" "" "" '^$'
	done < <(constants && alone)
	inserted | mode ready "" "" '^$'
	printf 'stack.go %s 1\n' stackFromSystem stackFaultOnFree | mode stackFaultOnFree "" "" '^$'
	# The functions that must not grow the stack need more of it, which programs with the race detector have.
	edits doubleCheck true mbitmap.go@bulkBarrierPreWrite | mode bulkBarrierPreWrite -race "" '^$'
	experiments_and_settings
}

# experiments_and_settings have no edits.
experiments_and_settings() {
	local setting
	for setting in staticlockranking cgocheck2; do
		mode "$setting" "" "GOEXPERIMENT=$setting" '^$' </dev/null
	done
	for setting in clobberfree efence tracecheckstackownership; do
		mode "$setting" "" "GODEBUG=$setting=1" '^$' </dev/null
	done
	mode gccheckmark "" GODEBUG=gccheckmark=1 '^goroutineleak$' </dev/null # upstream fails too: see misc/stress/README.md
}

if [ -n "$list" ]; then
	{ constants; alone; echo stackFaultOnFree; echo bulkBarrierPreWrite; } | awk '{ print "constant    " $1 }'
	inserted | sed 's/^/inserted    /'
	printf 'experiment  %s\n' staticlockranking cgocheck2
	printf 'GODEBUG     %s\n' clobberfree efence tracecheckstackownership gccheckmark
	left_out | sed 's/^\([^ ]*\) /left out    \1: /'
	exit
fi
if [ -n "$json" ]; then
	modes
else
	tallied modes
fi
