// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file takes profiles in tests, and finds allocation sites in samples.

package pprof

import (
	"bytes"
	"internal/profile"
	"runtime"
	"strings"
	"testing"
)

// takeProfile takes a profile as a protocol buffer and checks that it is valid.
func takeProfile(t testing.TB, name string) *profile.Profile {
	t.Helper()
	var buf bytes.Buffer
	if err := Lookup(name).WriteTo(&buf, 0); err != nil {
		t.Fatal(err)
	}
	p, err := profile.Parse(&buf)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.CheckValid(); err != nil {
		t.Fatal(err)
	}
	return p
}

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
