#!/usr/bin/env bash
# Copyright 2026 The gorefs Authors. All rights reserved.
# Use of this source code is governed by a BSD-style
# license that can be found in the LICENSE file.

# Runs a command in such a way that the command, and each program that it
# starts, can be a program for linux/arm64. qemu's user mode emulation runs
# these programs (Debian's package qemu-user-static):
#
#   misc/qemu.bash COMMAND [ARGUMENT...]
#   misc/qemu.bash -try      exits with 0 if commands can be run
#
# Tests start other programs, so it does not suffice to run each test with qemu.
# The kernel must know how to run a program for arm64. The script tells it how
# in a user namespace, which has binary formats of its own since Linux 6.7.
# Nothing changes outside of it, and no privilege is needed. In the namespace,
# the user appears as root.

set -euo pipefail

emulator=$(command -v qemu-aarch64-static || command -v qemu-aarch64 || true)
if [ -z "$emulator" ]; then
	echo "qemu.bash: there is no qemu-aarch64-static: install qemu-user-static" >&2
	exit 1
fi

# magic has the first 20 bytes of an ELF file for arm64. mask leaves out the
# operating system, and the bit by which executables and shared objects differ.
# With the flag F, the kernel opens the emulator while it registers the format.
magic='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'

# shellcheck disable=SC2016 # expanded in the namespace
inside='
{ mount -t binfmt_misc none /proc/sys/fs/binfmt_misc && printf "%s" "$1" >/proc/sys/fs/binfmt_misc/register; } || {
	echo "qemu.bash: the kernel registers no binary format in a user namespace (Linux 6.7 or later)" >&2
	exit 125
}
shift
exec "$@"
'

namespace=(unshare --user --map-root-user --mount bash -c "$inside" qemu.bash ":arm64:M::$magic:$mask:$emulator:F")

case ${1-} in
-try) "${namespace[@]}" true 2>/dev/null ;;
-* | "")
	echo "usage: misc/qemu.bash -try | COMMAND [ARGUMENT...]" >&2
	exit 2
	;;
*) exec "${namespace[@]}" "$@" ;;
esac
