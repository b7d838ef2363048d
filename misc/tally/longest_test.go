// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestLongest lets 12 sections run: section i for i minutes, with a package
// that ran for half of this time, on two processors. They are read at once, as
// at_once prints them.
func TestLongest(t *testing.T) {
	var out strings.Builder
	now := time.Now()
	tally := newTally(&out, knownList{})
	for i := range 12 {
		minutes := time.Duration(i) * time.Minute
		tally.event(event{Action: "section", Section: fmt.Sprintf("s%d", i), Time: now})
		tally.event(event{Action: "pass", Package: fmt.Sprintf("p%d", i), Elapsed: (minutes / 2).Seconds()})
		now = now.Add(minutes)
		tally.event(event{Action: "exit", Time: now, Processor: 2 * minutes.Seconds()})
	}
	out.Reset()
	writeLongest(&out, tally.sections)
	want := "\nlongest sections:\n" +
		"\t11m0s, 22m0s of processors: s11 (p11 5m30s)\n\t10m0s, 20m0s of processors: s10 (p10 5m0s)\n\t9m0s, 18m0s of processors: s9 (p9 4m30s)\n\t8m0s, 16m0s of processors: s8 (p8 4m0s)\n" +
		"\t7m0s, 14m0s of processors: s7 (p7 3m30s)\n\t6m0s, 12m0s of processors: s6 (p6 3m0s)\n\t5m0s, 10m0s of processors: s5 (p5 2m30s)\n\t4m0s, 8m0s of processors: s4 (p4 2m0s)\n\t3m0s, 6m0s of processors: s3 (p3 1m30s)\n\t2m0s, 4m0s of processors: s2 (p2 1m0s)\n"
	if out.String() != want {
		t.Errorf("printed:\n%s\nwant:\n%s", &out, want)
	}
}
