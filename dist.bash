#!/usr/bin/env bash
# Copyright 2026 The gorefs Authors. All rights reserved.
# Use of this source code is governed by a BSD-style
# license that can be found in the LICENSE file.

# Makes the archives that install.bash installs, and the same toolchains as
# modules, which the go command can download. Go's own cmd/distpack packs both.
# dist.bash builds the toolchain if need be. The same commit gives archives with
# the same bytes, in whichever folder the repository is.
#
#   ./dist.bash [-o DIR] [PLATFORM...]
#
# A PLATFORM is, for example, linux/arm64. The PLATFORM host is this machine's.
# Without a PLATFORM, dist.bash makes archives for linux/amd64, linux/arm64,
# darwin/arm64 and windows/amd64. DIR is dist if none is given. At the end it
# holds
#
#   VERSION.OS-ARCH.tar.gz (.zip)   the toolchain
#   VERSION.src.tar.gz              its source
#   golang.org/toolchain/@v/        the toolchain as modules: DIR is a folder for GOPROXY
#   install.bash, PROVENANCE        the installer; what all of this was made from
#   SHA256SUMS                      hashes of all other files
#
# DIR is replaced when everything is complete. If DIR is not empty and was not
# made by an earlier run, dist.bash refuses it.

set -euo pipefail
here=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")"
root=$(pwd -P)
. misc/demo/processes.bash

usage() {
	echo "usage: ./dist.bash [-o DIR] [PLATFORM...]" >&2
	exit 2
}

# clean runs a command without the user's settings, which may change what is built.
clean() {
	env -i PATH="$PATH" HOME="${HOME:-/}" ${TMPDIR:+TMPDIR="$TMPDIR"} ${GOCACHE:+GOCACHE="$GOCACHE"} \
		GOENV=off GOPROXY=off GOTOOLCHAIN=local GOWORK=off "$@"
}

sha256() { if command -v sha256sum >/dev/null; then sha256sum "$@"; else shasum -a 256 "$@"; fi; }

# check_tools checks that the tools in goroot/ are the ones that make.bash built,
# with the settings of a release.
check_tools() {
	local changed name value setting again="remove goroot/pkg/built, unset CC, GOAMD64 and the like, and try again"
	changed=$(find goroot/bin goroot/pkg/tool goroot/pkg/include -type f -newer goroot/pkg/built)
	[ -z "$changed" ] || die "$(head -n 1 <<<"$changed") is not as make.bash built it: $again"
	while read -r name value; do
		# shellcheck disable=SC2016 # the quotes are Go's
		setting=$(sed -n 's/^const '"$name"' = [`"]\(.*\)[`"]$/\1/p' goroot/src/internal/buildcfg/zbootstrap.go)
		[ "$setting" = "$value" ] || die "goroot/ was built with $name=$setting, not ${value:-the default}: $again"
	done <<-'END'
		DefaultGO386 sse2
		DefaultGOAMD64 v1
		DefaultGOARM 7
		DefaultGOARM64 v8.0
		defaultGOEXPERIMENT
		defaultGO_EXTLINK_ENABLED
		defaultGO_LDSO
		DefaultGOFIPS140 off
		DefaultCGO_ENABLED
	END
	while read -r name value; do
		setting=$(clean "$go" env "$name")
		[ "$setting" = "$value" ] || die "goroot/ was built with $name=$setting, not $value: $again"
	done <<-END
		CC $([ "$host_os" = darwin ] && echo clang || echo gcc)
		CXX $([ "$host_os" = darwin ] && echo clang++ || echo g++)
		PKG_CONFIG pkg-config
	END
}

# generated prints the files and folders of a release that are in goroot/ and
# not in its commit, because graft or the build of the tools made them.
generated() {
	cd goroot &&
		find . -path ./.git -prune -o -type f -name 'z*.go' -print0 | xargs -0 git check-ignore &&
		printf '%s\n' VERSION go.env bin/go"$exe" bin/gofmt"$exe" pkg/include "pkg/tool/${host_os}_$host_arch"
}

# stage copies the files of goroot/'s commit, those that generated prints, and
# our LICENSE to $staged.
stage() {
	mkdir "$staged" &&
		git -C goroot -c core.autocrlf=false archive HEAD | tar -x -C "$staged" &&
		(generated) >"$tmp/generated" &&
		tar -c -C goroot -T "$tmp/generated" | tar -x -C "$staged" &&
		cp LICENSE "$staged/LICENSE-gorefs"
}

# build_tools builds the tools for another platform, as cmd/dist does for a release.
build_tools() {
	clean GOOS="$1" GOARCH="$2" CGO_ENABLED=0 \
		GOFLAGS='-buildvcs=false -trimpath -ldflags=-w -gcflags=cmd/...=-dwarf=false' \
		"$staged/bin/go" install cmd/go cmd/gofmt cmd/asm cmd/cgo cmd/compile cmd/cover cmd/fix cmd/link cmd/preprofile cmd/vet
}

# pinned prints a value of the release in goroot/, which is the first one of
# lib/upstream.json. The list "also" has the others.
pinned() { sed -n -e '/"also"/q' -e 's/.*"'"$1"'": "\(.*\)".*/\1/p' lib/upstream.json; }

provenance() {
	local commit
	commit=$(git rev-parse HEAD 2>/dev/null || echo unknown)
	if [ -n "$(git status --porcelain 2>/dev/null)" ]; then commit="$commit, with changes that are not committed"; fi
	cat <<-END
		version        $version
		gorefs         commit $commit
		sources        git tree $(git -C goroot rev-parse 'HEAD^{tree}')
		release        $(pinned version)
		  lib/, src/   $(pinned hash)
		  root         $(pinned root)
		built on       $host_os/$host_arch
		built with     $(sed -n 's/^built with \([^ ]*\).*/\1/p' goroot/pkg/built)
		packed with    cmd/distpack of $version
		platforms      ${platforms[*]}
	END
}

out=$root/dist
while [ $# -gt 0 ]; do
	case $1 in
	-o)
		case ${2:-} in
		"") usage ;;
		/*) out=$2 ;;
		*) out=$here/$2 ;;
		esac
		shift 2
		;;
	-*) usage ;;
	*) break ;;
	esac
done
out=${out%/}
platforms=("$@")
if [ ${#platforms[@]} = 0 ]; then platforms=(linux/amd64 linux/arm64 darwin/arm64 windows/amd64); fi

if [ -n "${BASE:-}" ]; then die "BASE is set to $BASE, and dist.bash packs goroot/ only: unset it"; fi
if [ -e "$out" ] && [ ! -f "$out/PROVENANCE" ] && { [ ! -d "$out" ] || [ -n "$(ls -A "$out")" ]; }; then
	die "$out is not a folder that dist.bash made: nothing is written"
fi
mkdir -p "$(dirname "$out")" || die "cannot write to $(dirname "$out")"
tmp=$(mktemp -d "$out.tmp.XXXXXX") || die "cannot write to $(dirname "$out")"

step env -u GOOS -u GOARCH ./make.bash || die "make.bash failed"
version=$(head -n 1 goroot/VERSION)
host_os=$(clean "$go" env GOHOSTOS) host_arch=$(clean "$go" env GOHOSTARCH) exe=$(clean "$go" env GOEXE)
supported=$(clean "$go" tool dist list)
for i in "${!platforms[@]}"; do
	if [ "${platforms[i]}" = host ]; then platforms[i]=$host_os/$host_arch; fi
	grep -qxF -- "${platforms[i]}" <<<"$supported" || die "there is no platform ${platforms[i]}"
done
check_tools

staged=$tmp/goroot packed=$tmp/goroot/pkg/distpack new=$tmp/dist
say "copying goroot/"
step stage || die "cannot copy goroot/"
for platform in "${platforms[@]}"; do
	os=${platform%/*} arch=${platform#*/}
	if [ "$platform" != "$host_os/$host_arch" ]; then
		say "building the tools for $platform"
		step build_tools "$os" "$arch" || die "cannot build the tools for $platform"
	fi
	say "packing $platform"
	step clean GOOS="$os" GOARCH="$arch" "$staged/bin/go" tool distpack || die "cannot pack $platform"
done

mkdir -p "$new/golang.org/toolchain/@v"
mv "$packed"/v0.0.1-* "$new/golang.org/toolchain/@v/"
mv "$packed/$version".* "$new/"
cp install.bash "$new/"
provenance >"$new/PROVENANCE"
(
	cd "$new"
	find . -type f ! -name SHA256SUMS | sed 's,^\./,,' | LC_ALL=C sort | tr '\n' '\0' >"$tmp/files"
	xargs -0 bash -c "$(declare -f sha256); sha256 \"\$@\"" sha256 <"$tmp/files" >SHA256SUMS
)
chmod -R u=rwX,go=rX "$new"
rm -rf "$out"
mv "$new" "$out"
say "made in $out:"
(cd "$out" && LC_ALL=C ls -l)
