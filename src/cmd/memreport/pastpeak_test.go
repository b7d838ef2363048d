// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"testing"
	"time"
)

func TestFindPeak(t *testing.T) {
	with := func(bytes, share int64) func(*facts) {
		return func(f *facts) { f.Peak.Bytes, f.Peak.Share = bytes, share }
	}
	testFindings(t, findPeak, []findingTest{
		{"a report", with(374*mb, 240*mb), []string{"main.read"}},
		{"by a handler that is still busy", func(f *facts) {
			with(374*mb, 240*mb)(f)
			f.Peak.Still = 70 * mb
		}, nil},
		{"by many places", with(374*mb, 90*mb), nil},
		{"what the next collection waits for", func(f *facts) {
			with(374*mb, 240*mb)(f)
			f.NextGC = 300 * mb
		}, nil},
		{"not much more", with(70*mb+peakMore-1, 60*mb), nil},
		{"not half more", with(104*mb, 90*mb), nil},
	})
}

func TestAgo(t *testing.T) {
	f := atRest()
	for _, test := range []struct {
		before time.Duration
		want   string
	}{
		{40 * time.Minute, "40 min 0 s before the watch"},
		{-time.Second, "during the watch"},
		{133 * time.Minute, "2 h 13 min before the watch"},
		{72 * time.Hour, "3 days before the watch"},
	} {
		if got := f.ago(f.Time.Add(-test.before)); got != test.want {
			t.Errorf("ago(%v) = %q, want %q", test.before, got, test.want)
		}
	}
}
