#!/usr/bin/env bash
# Copyright 2026 The gorefs Authors. All rights reserved.
# Use of this source code is governed by a BSD-style
# license that can be found in the LICENSE file.

# Shows that each change list stands without those after it: applies the mails of
# graft export to upstream's tree, one after another, and after each builds and
# vets the standard library, and tests the packages that the change list touches.
# Not part of all.bash, for it takes minutes a change list.
#
#   misc/eachlist.bash [DIR]        work in DIR, which must not exist (default: a
#                                   temporary directory, removed afterwards)
#   misc/eachlist.bash -from N DIR  go on in DIR, where that has stopped, with the
#                                   Nth change list
#
# goroot/ must be built. Its commands are used as they are, so a change list that
# changes src/cmd is built and tested with the tools of the whole stack.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$(pwd -P)

die() {
	echo "eachlist.bash: $*" >&2
	exit 1
}

[ -f goroot/pkg/built ] || die "goroot/ is not built: run ./make.bash first"
from=1
if [ "${1:-}" = -from ]; then
	[ $# = 3 ] || die "usage: misc/eachlist.bash [-from N] [DIR]"
	from=$2
	work=$(cd "$3" && pwd -P)
elif [ $# -gt 0 ]; then
	[ ! -e "$1" ] || die "$1 exists"
	mkdir -p "$1"
	work=$(cd "$1" && pwd -P)
else
	work=$(mktemp -d "${TMPDIR:-/tmp}/eachlist.XXXXXX")
	trap 'rm -rf "$work"' EXIT
fi

# prepare makes upstream's tree, with what is built.
prepare() {
	go run -C misc/graft . export "$work/mails"
	git clone -q goroot "$work/goroot"
	git -C "$work/goroot" -c advice.detachedHead=false checkout -q "$(git -C goroot rev-list --max-parents=0 HEAD)"
	cp -R goroot/bin goroot/pkg goroot/VERSION goroot/go.env "$work/goroot/"
	# Files that cmd/dist generates are ignored by goroot's git.
	(cd goroot && git ls-files -o -i --exclude-standard src) | while IFS= read -r file; do
		cp "goroot/$file" "$work/goroot/$file"
	done
	mkdir -p "$work/goroot/test"
}

if [ "$from" = 1 ]; then
	prepare
else
	git -C "$work/goroot" reset -q --hard "$(git -C "$work/goroot" rev-list --reverse HEAD | sed -n "${from}p")"
fi
cd "$work/goroot/src"
unset GOROOT GOFLAGS GOEXPERIMENT GOBIN
export GOENV=off GOTOOLCHAIN=local GOWORK=off
mails=("$work"/mails/*.patch)
for mail in "${mails[@]:from-1}"; do
	echo "== $(sed -n 's/^Subject: //p' "$mail")"
	git -C .. -c user.name=eachlist -c user.email=eachlist@localhost am -q "$mail"
	packages=$(git -C .. show --name-only --format= HEAD -- src |
		sed -n -e 's,^src/,,' -e 's,/testdata/.*,/,' -e 's,/[^/]*$,,p' | sort -u)
	echo "$packages"
	../bin/go build std
	# shellcheck disable=SC2086 # one argument a package
	../bin/go vet $packages
	# shellcheck disable=SC2086
	../bin/go test -short $packages
done
echo "eachlist.bash: each change list builds and passes its tests ($root)"
