// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package evidence

import (
	"os"
	"syscall"
)

// lock locks f until all descriptors of the open file are closed. It returns
// false if it cannot lock f, because somebody else has locked the file or the
// file system has no locks, for example.
func lock(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

// lockFolder is lock for a folder.
func lockFolder(f *os.File) bool { return lock(f) }

// lockNew locks f, which has just been made. It reports false if another
// process has taken f for a file that nobody uses, and has locked or removed
// it. If the file system has no locks, no process takes f.
func lockNew(f *os.File) bool {
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err == syscall.EWOULDBLOCK {
		return false
	}
	_, err := os.Lstat(f.Name())
	return err == nil
}
