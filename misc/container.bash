#!/usr/bin/env bash
# Copyright 2026 The gorefs Authors. All rights reserved.
# Use of this source code is governed by a BSD-style
# license that can be found in the LICENSE file.

# Builds the images of misc/container, without a registry and without a network:
# the toolchain from an archive that dist.bash made, and nats-server with it. It
# runs both, and takes a refs profile of the server in its container.
#
#   misc/container.bash [FOLDER]   FOLDER is dist if none is given
#
# ENGINE is the command of the engine, podman if it is not set. If crun, the
# runtime that podman prefers, does not know the machine's cgroups,
# ENGINE='podman --runtime=runc' may work. The images stay: gorefs and
# nats-refs.

set -euo pipefail
here=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$(pwd -P)
. misc/demo/processes.bash

if [ $# -gt 1 ]; then
	echo "usage: misc/container.bash [FOLDER]" >&2
	exit 2
fi
folder=$(absolute "${1:-$root/dist}")
read -ra engine <<<"${ENGINE:-podman}"
command -v "${engine[0]}" >/dev/null || die "there is no ${engine[0]}"
[ -x "$go" ] || die "goroot/ is not built: run ./make.bash first"
arch=$(tool env GOHOSTARCH)
version=$(sed -n 's/^version *//p' "$folder/PROVENANCE") || die "there is no $folder/PROVENANCE: run ./dist.bash host first"
[ -f "$folder/$version.linux-$arch.tar.gz" ] || die "$folder has no archive for linux/$arch"

# image NAME DOCKERFILE OPTION... CONTEXT builds an image.
image() {
	local name=$1 file=misc/container/$2
	shift 2
	say "building the image $name"
	step "${engine[@]}" build --network none -t "$name" -f "$file" "$@" || die "cannot build the image $name"
}

size_of() { "${engine[@]}" image inspect --format '{{.Size}}' "$1" | awk '{ printf "%.1f MB\n", $1 / 1e6 }'; }

# profile_of prints the port of the server's profiles, from its log.
profile_of() { sed -n 's/.*profiling port: *\([0-9]*\).*/\1/p' "$tmp/log" | grep .; }

tmp=$(mktemp -d "${TMPDIR:-/tmp}/container.XXXXXX")
image gorefs Dockerfile --build-arg TARGETARCH="$arch" "$folder"
reported=$(step "${engine[@]}" run --rm --network none gorefs) || die "the image gorefs does not run"
[ "$reported" = "go version ${version%%-*} X:${version#*-} linux/$arch" ] || die "the image gorefs has another version: $reported"
say "$reported, in an image of $(size_of gorefs)"

mkdir "$tmp/context"
cp misc/demo/go.mod misc/demo/go.sum "$tmp/context/"
step tool -C misc/demo mod vendor -o "$tmp/context/vendor" || die "cannot vendor the modules of misc/demo"
image nats-refs server.Dockerfile "$tmp/context"
say "nats-server, in an image of $(size_of nats-refs)"
start "${engine[@]}" run --rm --network host nats-refs -a 127.0.0.1 -p -1 --profile -1 >"$tmp/log" 2>&1
await nats-server "$tmp/log" profile_of
step tool tool pprof -top -cum -nodecount=10 "http://127.0.0.1:$(profile_of)/debug/pprof/refs" | tee "$tmp/top"
grep -q 'nats-server/v2/server' "$tmp/top" || die "the profile shows nothing of nats-server"
