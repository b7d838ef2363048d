#!/usr/bin/env bash
# Copyright 2026 The gorefs Authors. All rights reserved.
# Use of this source code is governed by a BSD-style
# license that can be found in the LICENSE file.

# Shows what memory scopes are for: puts load on a server whose big requests
# want 1 GiB each, with GOMEMLIMIT=256MiB, first without a limit to requests,
# then with one of 32 MiB. Each server may have 2 GiB of data (RLIMIT_DATA).
# That limit stands for a container's.
#
#   misc/scopes.bash [DURATION]
#
# DURATION of each load is 20s if none is given. The port is PORT (23890 if not set).

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$(pwd -P)
. misc/demo/processes.bash
duration=${1:-20s}
address=127.0.0.1:${PORT:-23890}

tmp=$(mktemp -d)
step tool build -C misc/demo -o "$tmp/scopes" ./scopes

answers() { curl -fsS "http://$address/small"; }

# show NAME LIMIT
show() {
	echo "$1:"
	GOMEMLIMIT=256MiB start prlimit --data=$((2 << 30)) "$tmp/scopes" serve "$address" "$2" >"$tmp/log" 2>&1
	local server=$pid
	await "the server" "$tmp/log" answers
	step "$tmp/scopes" load "$address" "$duration"
	if kill -0 "$server" 2>/dev/null; then
		awk '/VmHWM/ {printf "server alive, at most %d MiB resident\n", $2 / 1024}' "/proc/$server/status"
	else
		echo "server dead: $(grep -m 1 -E 'fatal|out of memory' "$tmp/log" || tail -n 1 "$tmp/log")"
	fi
	end_groups "$server"
}

show "without scopes" 0
show "32 MiB a request" $((32 << 20))
