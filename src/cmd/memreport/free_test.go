// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import "testing"

func TestFindFree(t *testing.T) {
	with := func(bytes, fall int64) func(*facts) {
		return func(f *facts) {
			for i := range f.Moments {
				f.Moments[i].Classes[free] = bytes - fall*int64(i)
			}
		}
	}
	const place = "debug.FreeOSMemory, GOMEMLIMIT"
	testFindings(t, findFree, []findingTest{
		{"kept", with(60*mb, 0), []string{place}},
		{"on its way back", with(60*mb, mb), nil},
		{"for the next collection", func(f *facts) {
			with(60*mb, 0)(f)
			f.NextGC = 90 * mb
		}, nil},
		{"a small part", with(35*mb, 0), nil},
		{"without collections", func(f *facts) {
			with(60*mb, 0)(f)
			f.NextGC = 1 << 62
		}, nil},
	})
}
