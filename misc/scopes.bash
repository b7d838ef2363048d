#!/usr/bin/env bash
# Copyright 2026 The gorefs Authors. All rights reserved.
# Use of this source code is governed by a BSD-style
# license that can be found in the LICENSE file.

# Shows what memory scopes are for: runs a server with GOMEMLIMIT=256MiB whose
# big requests need 1 GiB each, and puts load on it, first without a limit on
# requests and then, on a new server, with a limit of 32 MiB for each request.
# Each server may have 2 GiB of data (RLIMIT_DATA). That limit stands for a
# container's.
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

# show NAME LIMIT runs the server with a limit in bytes, puts load on it, and
# prints the results.
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
