// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file sets the sampling rate of the heap profile in tests, and finds
// allocation sites in samples.

package pprof

import (
	"internal/profile"
	"runtime"
	"strings"
	"testing"
)

// setMemProfileRate sets the sampling rate for the rest of the test.
func setMemProfileRate(t testing.TB, rate int) {
	old := runtime.MemProfileRate
	t.Cleanup(func() { runtime.MemProfileRate = old })
	runtime.MemProfileRate = rate
}

// siteOf returns the innermost function on a sample's stack whose name in this
// package begins with prefix, or "" if there is none.
func siteOf(s *profile.Sample, prefix string) string {
	for _, l := range s.Location {
		for _, line := range l.Line {
			if name := strings.TrimPrefix(line.Function.Name, "runtime/pprof."); strings.HasPrefix(name, prefix) {
				return name
			}
		}
	}
	return ""
}
