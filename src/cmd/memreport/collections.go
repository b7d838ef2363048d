// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Collections take much of the processors' time. The cause is a heap that may
// grow little between them, or pointers that each of them follows.

package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

const (
	// collectionShare is the share of the processors' time since the start.
	// While a collection marks, it takes a quarter, so a server with this share
	// collects most of the time.
	collectionShare = 0.20
	// collectionsLeast is the number of collections. While the heap of a program
	// that starts grows to its size, they take much of a short time.
	collectionsLeast = 100
	// scannedLeast is what a collection must scan at a place. Less is scanned in
	// milliseconds, and then the cause is what the program allocates.
	scannedLeast = 8 * mega
	// ownCollections are at most those for which memreport asks in the watch.
	ownCollections = 8
)

func findCollections(f *facts) []finding {
	if f.Compare || f.Collecting < collectionShare || f.Collections < collectionsLeast {
		return nil
	}
	x := finding{
		Kind:      "collections",
		Signature: "gc",
		Text:      fmt.Sprintf("Collections have taken %.0f%% of the time of all processors since the start.", 100*f.Collecting),
		Place:     "GOGC, GOMEMLIMIT",
		Bytes:     max(f.lastWatched().Live, 1),
		Profile:   "heap",
		More:      "grep GCCPUFraction " + f.take.path("heap.txt"),
		group:     standing,
	}
	switch off := f.NextGC >= 1<<60; {
	case 2*f.Forced >= f.Collections:
		x.Details = []string{fmt.Sprintf("%d of %d collections were asked for by the program, as with runtime.GC", f.Forced, f.Collections)}
	case !off:
		x.Details = []string{fmt.Sprintf("the heap is collected at %s: a larger GOGC or GOMEMLIMIT trades memory for time", formatSize(f.NextGC))}
	}
	if first, last := f.Moments[0].Cycle, f.lastWatched().Cycle; first > 0 && last-first <= ownCollections && !f.once() {
		x.group = past
	}
	if t := f.mostScanned(); t != nil {
		x.Place = t.String()
		x.Signature = x.Place
		x.Bytes = t.at().Scan
		x.Details = append(x.Details, fmt.Sprintf("of the %s of the heap that each collection scans for pointers, %s is there", formatSize(f.Refs.Scan), formatSize(t.at().Scan)))
		x.Profile = "refs"
		x.More = fmt.Sprintf("go tool pprof -top -cum -sample_index=scan_space %s %s",
			quote("-focus=^"+regexp.QuoteMeta(t[0].Name)+"$"), f.take.path(f.take.last("refs")))
	}
	return []finding{x}
}

// mostScanned returns the deepest path that has most of what a collection scans,
// or nil. All goroutines together are no path.
func (f *facts) mostScanned() trail {
	t := f.majority(func(e *element) int64 { return e.Scan }, func(*element) bool { return false })
	if len(t) == 0 || len(t) == 1 && t[0].Name == stackRoot || t.at().Scan < scannedLeast {
		return nil
	}
	return t
}

// readCollecting returns the share of the processors' time that collections have
// taken, by a heap profile as text, or 0.
func readCollecting(text []byte) float64 {
	_, tail, _ := strings.Cut(string(text), "\n# GCCPUFraction = ")
	value, _, _ := strings.Cut(tail, "\n")
	share, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if err != nil || !(share >= 0 && share <= 1) {
		return 0
	}
	return share
}
