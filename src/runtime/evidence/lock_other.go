// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package evidence

import (
	"os"
	"time"
)

// lock reports whether f may be removed. These systems have no flock. Therefore
// an empty file must stay: it may be in use.
func lock(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Size() > 0
}

// lockFolder reports whether the folder f is old enough that no process is
// writing a set there.
func lockFolder(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && time.Since(info.ModTime()) > time.Hour
}

// lockNew does nothing, because no process removes an empty file.
func lockNew(*os.File) bool { return true }
