// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build !linux

package pprof

// residentSize returns 0 and "", because no resident size of one moment is read
// on this system.
func residentSize() (size uint64, source string) { return 0, "" }
