// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import "testing"

func TestFindFinalizers(t *testing.T) {
	held := func(f *facts, root, name string, first, last int64) {
		f.Refs.Children = append(f.Refs.Children, &element{Name: name, Root: root, Bytes: last, Objects: 60, NewBytes: last - first})
	}
	testFindings(t, findFinalizers, []findingTest{
		{"cycles", func(f *facts) { held(f, "finalizer", "(finalizer) *main.file", 30*mb, 31*mb) }, []string{"(finalizer) *main.file"}},
		{"at one end", func(f *facts) {
			held(f, "finalizer", "(finalizer) *main.file", 31*mb, 31*mb)
			f.RefsOnce = true
		}, nil},
		{"few", func(f *facts) { held(f, "finalizer", "(finalizer) *main.file", 24*mb, 24*mb) }, nil},
		{"a burst", func(f *facts) { held(f, "finalizer", "(finalizer) *main.file", 2*mb, 31*mb) }, nil},
		{"freed", func(f *facts) { held(f, "finalizer", "(finalizer) *main.file", 31*mb, 0) }, nil},
		{"arguments of cleanups", func(f *facts) { held(f, "cleanup", "(cleanup) main.free", 30*mb, 30*mb) }, nil},
	})
}
