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

func TestFindHuge(t *testing.T) {
	with := func(all ...int64) func(*facts) {
		return func(f *facts) {
			for i := range f.Moments {
				f.Moments[i].Huge = all[i%len(all)]
			}
		}
	}
	testFindings(t, findHuge, []findingTest{
		{"huge pages", with(40 * mb), []string{"GODEBUG=disablethp=1"}},
		{"for a moment", with(40*mb, 0), nil},
		{"a small part", with(30 * mb), nil},
	})
}

// TestReturned reads what the heap has returned, and is resident.
func TestReturned(t *testing.T) {
	for _, test := range []struct{ lazy, huge int64 }{{0, 0}, {50 * mb, 0}, {0, 50 * mb}, {40 * mb, 60 * mb}} {
		k := makeTake(t, sizes{})
		for i := range k.Moments {
			k.files[numbered("memory", i)] = encode(t, makeProfile("taken_space memory_space", nil,
				row{[]int64{20 * mb, 20 * mb}, "main.keep@/m/a.go < Live heap at the last collection < Go memory", ""},
				row{[]int64{0, test.lazy}, "LazyFree < Released heap < Go memory", ""},
				row{[]int64{0, test.huge}, "Huge pages < Released heap < Go memory", ""}))
		}
		f := newFacts(k)
		if m := f.now(); m.Huge != test.huge || m.Classes[returned] != test.lazy+test.huge || m.Classes[free] != 0 {
			t.Errorf("%+v: %+v", test, m)
		}
		if n, ok := f.shown(returned); ok != (n > 0) {
			t.Errorf("%+v: shown %v", test, ok)
		}
		if all := findFree(f); len(all) > 0 {
			t.Errorf("%+v: %+v", test, all)
		}
	}
}
