// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build !linux

package pprof

import "errors"

// pageFaultError returns the error for the reason that the runtime gives. It
// ignores errno, because the runtime makes no system call here.
func pageFaultError(what string, errno uintptr) error {
	return errors.New(what)
}

func pageFaultRoom() error { return nil }

func pageFaultUserOnlyComment() string {
	return "Page faults of user mode."
}
