# Copyright 2026 The gorefs Authors. All rights reserved.
# Use of this source code is governed by a BSD-style
# license that can be found in the LICENSE file.

# Functions with which run.bash, all.bash and other scripts use misc/tally.
# Before they source this file, the scripts set root, the project's folder.

: "${root:?}"

# section NAME COMMAND... runs the command, prints an event before and after it
# for the tally (section.go), and returns the command's exit code. NAME must
# need no quoting in JSON.
section() {
	local name=$1 code=0 used
	shift
	used=$(mktemp "${TMPDIR:-/tmp}/tally.XXXXXX")
	times >"$used"
	printf '{"Action":"section","Section":"%s","Time":"%s"}\n' "$name" "$(now)"
	"$@" || code=$?
	times >>"$used"
	printf '{"Action":"exit","Code":%d,"Time":"%s","Processor":%s}\n' "$code" "$(now)" "$(processor_seconds "$used")"
	rm -f "$used"
	return "$code"
}

# spare_section is section for tests of other people's code. From TALLY_END on, if
# that is set to seconds since 1970, it only prints an event for the tally's list of
# what was not run.
spare_section() {
	if [ -n "${TALLY_END:-}" ] && [ "$(date +%s)" -ge "$TALLY_END" ]; then
		printf '{"Action":"late","Section":"%s","Time":"%s"}\n' "$1" "$(now)"
		return
	fi
	section "$@"
}

# processor_seconds FILE prints the difference of two outputs of times, those of
# the children.
processor_seconds() {
	tr , . <"$1" | LC_ALL=C awk -F '[ ms]+' 'NR % 2 == 0 { total = ($1 + $3) * 60 + $2 + $4 - total } END { printf "%.1f", total }' || echo 0
}

now() { date -u +%Y-%m-%dT%H:%M:%SZ; }

# at_once FIRST SECOND runs two commands at the same time. The output of SECOND
# comes after that of FIRST, so that their sections do not mix.
at_once() {
	local output
	output=$(mktemp "${TMPDIR:-/tmp}/tally.XXXXXX")
	{ "$2" || true; } >"$output" &
	"$1" || true
	wait "$!"
	cat "$output"
	rm -f "$output"
}

# tallied COMMAND... pipes what the command prints to a tally. The go command in
# PATH builds the tally, because the toolchain under test must not judge itself.
# The body is a subshell, because its trap must not replace a trap of the script.
tallied() (
	dir=$(mktemp -d "${TMPDIR:-/tmp}/tally.XXXXXX")
	trap 'rm -rf "$dir"' EXIT
	go build -C "$root/misc/tally" -o "$dir/tally" .
	"$@" | "$dir/tally" -known "$root/lib/upstream-failures"
)
