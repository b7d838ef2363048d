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

// TestPeakText has the sum of the table, and what the collector lets it become.
func TestPeakText(t *testing.T) {
	f := atRest()
	f.Peak.Bytes, f.Peak.Share, f.NextGC = 374*mb, 240*mb, 130*mb
	x := findPeak(f)[0]
	if want := "Memory in use was 374 MB, 1 h 0 min before the watch, and is 65 MB."; x.Text != want {
		t.Errorf("%q, want %q", x.Text, want)
	}
	if want := "this code had allocated 240 MB of it; the next collection begins at 140 MB"; len(x.Details) != 1 || x.Details[0] != want {
		t.Errorf("details %q, want %q", x.Details, want)
	}
}

// TestBegan has a server whose clock is an hour behind.
func TestBegan(t *testing.T) {
	k := makeTake(t, sizes{})
	for text, want := range map[string]string{
		"2026-11-01T11:00:10Z":          "10 s before the watch",
		"2026-11-01T10:59:10.123456Z":   "during the watch",
		"nothing that has a time in it": "1 h 0 min before the watch",
	} {
		k.files["memory.0.pb.gz"] = encode(t, makeProfile("memory_space", []string{"after GC cycle 4: memory_space (built with -race) is as of " + text},
			row{[]int64{mb}, "Free heap < Go memory", ""}))
		f := newFacts(k)
		if got := f.ago(f.Peak.Time); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
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
