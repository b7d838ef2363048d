// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"strings"
	"testing"
)

func TestFindFragmentation(t *testing.T) {
	with := func(bytes int64) func(*facts) {
		return func(f *facts) {
			for _, m := range f.Moments {
				m.Classes[fragmented] = bytes
			}
		}
	}
	testFindings(t, findFragmentation, []findingTest{
		{"after a burst", with(60 * mb), []string{"fragmented heap"}},
		{"less than the least", with(47 * mb), nil},
		{"new objects fill it", func(f *facts) {
			with(60 * mb)(f)
			f.NextGC = 90 * mb
		}, nil},
		{"after some collections alone", func(f *facts) {
			with(60 * mb)(f)
			f.Moments[4].Classes[fragmented] = 10 * mb
		}, nil},
		{"GOGC=off", func(f *facts) {
			with(60 * mb)(f)
			f.NextGC = 1 << 62
		}, nil},
		{"an unchanged toolchain", func(f *facts) {
			with(60 * mb)(f)
			f.take.files = nil
			for _, m := range f.Moments {
				m.Classes[objects] = m.Classes[live] + m.Classes[recent]
				delete(m.Classes, live)
				delete(m.Classes, recent)
			}
		}, []string{"fragmented heap"}},
		{"two takes", func(f *facts) {
			with(60 * mb)(f)
			twoTakes(f)
		}, nil},
	})
	f := atRest()
	with(60 * mb)(f)
	if x := findFragmentation(f); len(x) != 1 || strings.Contains(x[0].More, "-diff_base") {
		t.Errorf("%+v", x)
	}
}
