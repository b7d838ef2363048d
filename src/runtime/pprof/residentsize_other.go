// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build !linux

package pprof

// residentSize returns 0 and "": there is no resident size here that is of one moment.
func residentSize() (size uint64, source string) { return 0, "" }
