#!/usr/bin/env bash
# Copyright 2026 The gorefs Authors. All rights reserved.
# Use of this source code is governed by a BSD-style
# license that can be found in the LICENSE file.

# Installs a toolchain from an archive that dist.bash made. It needs no network,
# and no file beside the archive and SHA256SUMS.
#
# The script verifies ARCHIVE, or FOLDER's archive for this platform, against
# HASH, or against SHA256SUMS beside the archive (see usage for these
# arguments). It unpacks the archive to DIR/VERSION, where DIR is $HOME/sdk if
# none is given. To standard output it prints only the line that puts the
# toolchain into PATH. DIR may hold several versions. Nothing in it is ever
# overwritten, and DIR/VERSION is complete or absent.

set -euo pipefail
unset CDPATH

usage() {
	cat >&2 <<-'EOF'
		usage: install.bash [-dir DIR] [-sha256 HASH] ARCHIVE|FOLDER
		usage: install.bash [-dir DIR] -uninstall VERSION
		usage: install.bash [-dir DIR] -list
	EOF
	exit 2
}

tmp= # the folder of this run in DIR

die() {
	echo "install.bash: $*" >&2
	exit 1
}

say() { echo "install.bash: $*" >&2; }

# writable lets the user write to a folder and to the folders in it.
writable() { find "$1" -type d ! -perm -700 -exec chmod u+rwx {} \; || true; }

# finish removes the folder of this run, even if it has folders that are read-only.
finish() {
	local left=$tmp
	trap '' INT TERM HUP
	tmp=
	[ -n "$left" ] || return 0
	writable "$left"
	rm -rf "$left" && return
	say "cannot remove all of $left: the next run will try again"
	return 1
}
trap 'finish || true' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# this_platform prints the platform of this machine as the names of archives
# have it.
this_platform() {
	local os arch
	os=$(uname -s) arch=$(uname -m)
	case $os in
	Linux) os=linux ;;
	Darwin) os=darwin ;;
	MINGW* | MSYS* | CYGWIN*) os=windows ;;
	esac
	case $arch in
	x86_64) arch=amd64 ;;
	aarch64) arch=arm64 ;;
	esac
	echo "$os-$arch"
}

sha256_of() {
	if command -v sha256sum >/dev/null; then sha256sum <"$1"; else shasum -a 256 <"$1"; fi | sed 's/ .*//'
}

# parse sets version and platform from the name of an archive.
parse() {
	local form='^(go[0-9][0-9A-Za-z.-]*)\.([a-z0-9]+-[a-z0-9]+)\.(tar\.gz|zip)$'
	[[ ${1##*/} =~ $form ]] || return 1
	version=${BASH_REMATCH[1]} platform=${BASH_REMATCH[2]}
}

# choose sets archive to a folder's archive for this platform.
choose() {
	local file others=
	archive=
	for file in "$1"/*; do
		parse "$file" || continue
		if [ "$platform" != "$here" ]; then
			others="$others $platform"
		elif [ -n "$archive" ]; then
			die "$1 has several archives for $here: name one"
		else
			archive=$file
		fi
	done
	[ -n "$archive" ] || die "$1 has no archive for $here${others:+, only for$others}"
}

# verify sets hash to the hash of the archive, and checks that it is the
# expected one.
verify() {
	local sums want=$1
	sums=$(dirname "$archive")/SHA256SUMS
	if [ -z "$want" ]; then
		[ -f "$sums" ] || die "there is no $sums: get it from where the archive comes from, or say -sha256 HASH"
		want=$(name=${archive##*/} awk '{ hash = $1; sub(/^[^ ]* [ *]/, ""); if ($0 == ENVIRON["name"]) print hash }' "$sums") ||
			die "cannot read $sums"
		[ -n "$want" ] || die "$sums does not list ${archive##*/}"
	fi
	hash=$(sha256_of "$archive") || die "cannot read $archive"
	[ "$hash" = "$(tr A-F a-f <<<"$want")" ] ||
		die "$archive is not complete, or not the right one: its SHA-256 is $hash, not $want"
}

# start makes the folder of this run in DIR. To install or uninstall a
# toolchain, a run moves it from or to that folder as a whole. start also moves
# there the folders that killed runs of this user left: at once if the run was
# on this machine, and otherwise after two days. A run that takes longer than
# that, and so loses its folder, fails.
start() {
	local left node form='^\.install\.bash\.(.*)\.([0-9]+)\.[0-9A-Za-z]{6}$'
	node=$(uname -n)
	tmp=$(mktemp -d "$dir/.install.bash.$node.$$.XXXXXX" 2>/dev/null) || die "cannot write to $dir"
	for left in "$dir"/.install.bash.*; do
		if [ ! -d "$left" ] || [ -L "$left" ] || [ ! -O "$left" ] || ! [[ ${left##*/} =~ $form ]]; then continue; fi
		if [ "${BASH_REMATCH[1]}" = "$node" ] && ! kill -0 "${BASH_REMATCH[2]}" 2>/dev/null ||
			[ -n "$(find "$left" -prune -mtime +1 2>/dev/null)" ]; then
			# Another run may have moved it already.
			if mv -f "$left" "$tmp/" 2>/dev/null; then say "removing what an earlier run left when it was killed"; fi
		fi
	done
}

# unpack unpacks the archive to a folder, and checks that the archive has no
# file or link where install writes.
unpack() {
	local name
	mkdir "$1" || die "cannot write to $dir"
	case $archive in
	*.zip)
		if command -v unzip >/dev/null; then unzip -q "$archive" -d "$1"; else tar -xf "$archive" -C "$1"; fi
		;;
	*) tar -xzf - -C "$1" --no-same-owner <"$archive" ;; # tar takes a name with a colon for a remote one
	esac || die "cannot unpack $archive to $dir"
	for name in go go/bin; do
		if [ ! -d "$1/$name" ] || [ -L "$1/$name" ]; then die "$archive has no folder $name"; fi
	done
	for name in go/INSTALLED "go/bin/$version$exe"; do
		if [ -e "$1/$name" ] || [ -L "$1/$name" ]; then die "$archive has a file $name, which install.bash makes"; fi
	done
	writable "$1/go"
}

# ours reports whether install.bash made a folder.
ours() { [ ! -L "$1" ] && [ -f "$1/INSTALLED" ] && grep -qxE '[0-9a-f]{64}' "$1/INSTALLED" 2>/dev/null; }

print_path() { echo "export PATH=$(printf %q "$1/bin"):\"\$PATH\""; }

# installed reports whether the toolchain of the archive is installed. If it is,
# the line for PATH is printed. It exits with an error if something else is in
# the toolchain's place, or if bin/go is missing there.
installed() {
	local to=$dir/$version
	if [ ! -e "$to" ] && [ ! -L "$to" ]; then return 1; fi
	ours "$to" || die "$to was not made by install.bash: it is left as it is"
	grep -qx "$hash" "$to/INSTALLED" ||
		die "there is another $to: it is left as it is (to remove it: install.bash -uninstall $version)"
	[ -x "$to/bin/go$exe" ] ||
		die "$to is damaged: it has no bin/go$exe (to remove it: install.bash -uninstall $version)"
	say "$to is installed already"
	print_path "$to"
}

install() {
	local new reported
	archive=$1
	case $archive in -*) archive=./$archive ;; esac
	[ -e "$archive" ] || die "there is no $archive"
	here=$(this_platform) exe=
	case $here in windows-*) exe=.exe ;; esac
	if [ -d "$archive" ]; then choose "${archive%/}"; fi
	parse "$archive" || die "$archive is not named as an archive of a toolchain is, VERSION.OS-ARCH.tar.gz or .zip"
	[ "$platform" = "$here" ] || die "$archive is for $platform, and this machine is $here"
	verify "$2"

	mkdir -p "$dir" || die "cannot write to $dir"
	reported=$dir
	dir=$(cd "$dir" && pwd) || die "cannot enter $reported"
	case $dir in
	*:* | *$'\n'*) die "a folder in PATH cannot have a colon or a new line in its name: $dir" ;;
	esac
	if installed; then return; fi

	start
	unpack "$tmp/archive"
	new=$tmp/$version
	mv "$tmp/archive/go" "$new" || die "cannot write to $dir"
	# Without a folder for configurations, Go starts no process that writes telemetry.
	reported=$(env -i PATH="$PATH" HOME=/dev/null XDG_CONFIG_HOME=/dev/null GOENV=off GOTOOLCHAIN=local "$new/bin/go$exe" version 2>"$tmp/errors") ||
		die "the unpacked go does not run in $dir: $(cat "$tmp/errors")"
	[ "$reported" = "go version ${version%%-*} X:${version#*-} ${here/-//}" ] || die "$archive has another version in it: $reported"
	# The go command looks in PATH for a program whose name is the value of
	# GOTOOLCHAIN.
	ln -s "go$exe" "$new/bin/$version$exe" || die "cannot write to $dir"
	echo "$hash" >"$new/INSTALLED" || die "cannot write to $dir"
	# This is a rename, which fails if another run has installed the version.
	if ! mv -f "$new" "$dir/" 2>"$tmp/errors"; then
		if installed; then return; fi
		die "cannot write to $dir: $(cat "$tmp/errors")"
	fi
	say "installed in $dir/$version; this line puts it into PATH:"
	print_path "$dir/$version"
}

# uninstall renames before it removes, so that nothing half-removed is in PATH.
uninstall() {
	version=$1
	case $version in
	go[0-9]*) ;;
	*) die "$version is not a version, such as go1.27.4-refs-01234567; install.bash -list prints those that are installed" ;;
	esac
	[[ $version != */* ]] || die "$version is not a version, but a path"
	[ -d "$dir" ] || die "there is no $dir/$version"
	start # also takes away what a killed run has left of a version
	[ -d "$dir/$version" ] || die "there is no $dir/$version"
	ours "$dir/$version" || die "$dir/$version was not made by install.bash: it is left as it is"
	if [ ! -O "$dir/$version" ] && [ "$EUID" != 0 ]; then die "$dir/$version belongs to another user"; fi
	writable "$dir/$version"
	mv -f "$dir/$version" "$tmp/" || die "cannot remove $dir/$version"
	finish || exit 1
	say "removed $dir/$version"
}

list() {
	local folder
	for folder in "$dir"/go[0-9]*; do
		if ours "$folder"; then echo "${folder##*/}"; fi
	done
}

dir=${HOME:+$HOME/sdk} action=install hash=''
while [ $# -gt 0 ]; do
	case $1 in
	-dir | -sha256)
		[ -n "${2:-}" ] || usage
		if [ "$1" = -dir ]; then dir=$2; else hash=$2; fi
		shift
		;;
	-uninstall | -list) action=${1#-} ;;
	--)
		shift
		break
		;;
	-*) usage ;;
	*) break ;;
	esac
	shift
done
[ -n "$dir" ] || die "HOME is not set: say -dir DIR"
case $dir in -*) dir=./$dir ;; esac
case $action/$# in
install/1) install "$1" "$hash" ;;
uninstall/1) uninstall "$1" ;;
list/0) list ;;
*) usage ;;
esac
