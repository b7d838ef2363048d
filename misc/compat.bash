#!/usr/bin/env bash
# Copyright 2026 The gorefs Authors. All rights reserved.
# Use of this source code is governed by a BSD-style
# license that can be found in the LICENSE file.

# Tries other people's code with the toolchain in goroot/, which make.bash has
# built. The table of modules and tools is in misc/compat. The last line of the
# output has the numbers of checks that passed, failed and were skipped. A check
# counts as skipped if it fails with upstream's release, too, if it passes when
# it is repeated, or if the machine lacks something that it needs.
#
#   misc/compat.bash [-subset] [-run REGEXP] [-both]
#   misc/compat.bash -json ...   prints the stream that misc/tally reads, for
#                                a script that counts more than this
#
# It needs a way to Go modules and the npm registry. -subset selects the checks
# that continuous integration has time for.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$(pwd -P)
. misc/tally/tally.bash

if [ ! -f goroot/pkg/built ]; then
	echo "compat.bash: goroot/ is not built: run ./make.bash first" >&2
	exit 1
fi

compat() { spare_section "other people's code" "${nice[@]}" go run -C misc/compat . -json "$@"; }

nice=(nice -n 10) # other work on the machine comes first
if [ "${1:-}" = -json ]; then
	nice=(env)
	shift
	compat "$@"
else
	tallied compat "$@"
fi
