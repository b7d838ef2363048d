// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Many profiles, one after another, with checks of the memory of the process.

package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime/metrics"
	"slices"
	"strings"
	"time"
)

// A footprint is the most memory, in bytes, that the process needed during some
// time, without the heap and the stacks, which depend on the mutators. metadata
// is according to the runtime, and resident according to the system.
type footprint struct{ metadata, resident uint64 }

const (
	slack    = 8 << 20 // a footprint may grow by this number of bytes
	slackPer = 5       // and by the fraction 1/slackPer
)

var metadataMetrics = []metrics.Sample{
	{Name: "/memory/classes/metadata/mcache/inuse:bytes"},
	{Name: "/memory/classes/metadata/mspan/inuse:bytes"},
	{Name: "/memory/classes/metadata/other:bytes"},
	{Name: "/memory/classes/other:bytes"},
	{Name: "/memory/classes/profiling/buckets:bytes"},
}

var heapMetrics = []metrics.Sample{
	{Name: "/memory/classes/heap/free:bytes"},
	{Name: "/memory/classes/heap/objects:bytes"},
	{Name: "/memory/classes/heap/stacks:bytes"},
	{Name: "/memory/classes/heap/unused:bytes"},
}

func sum(samples []metrics.Sample) (bytes uint64) {
	metrics.Read(samples)
	for _, m := range samples {
		bytes += m.Value.Uint64()
	}
	return bytes
}

func (f *footprint) measure() {
	all := resident()
	f.metadata = max(f.metadata, sum(metadataMetrics))
	f.resident = max(f.resident, all-min(all, sum(heapMetrics)))
}

// resident returns the process's resident bytes, 0 where Linux's /proc is
// missing.
func resident() (bytes uint64) {
	f, err := os.Open("/proc/self/status")
	if err != nil {
		return 0
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if kilobytes, ok := strings.CutPrefix(s.Text(), "VmRSS:"); ok {
			_, err := fmt.Sscan(kilobytes, &bytes)
			check(err)
		}
	}
	return bytes << 10
}

func grew(before, after uint64) bool { return after > before+before/slackPer+slack }

// soakFor takes profiles until the time is over. It panics if the last tenth of
// the time needed much more memory than the second tenth.
func soakFor(d time.Duration, built []*shape) (all result) {
	built = slices.DeleteFunc(built, func(s *shape) bool { return s.blocks })
	close(finalize) // finalizers must run, to free the objects that have them
	var tenths [10]footprint
	start := time.Now()
	for {
		tenth := int(time.Since(start) * 10 / d)
		if tenth >= len(tenths) {
			break
		}
		all.add(examine(built))
		tenths[tenth].measure()
	}
	for i, f := range tenths {
		fmt.Printf("tenth %d: metadata %d, resident %d bytes\n", i+1, f.metadata, f.resident)
	}
	fmt.Printf("%d profiles\n", all.profiles)
	before, after := tenths[1], tenths[len(tenths)-1]
	if grew(before.metadata, after.metadata) || grew(before.resident, after.resident) {
		panic(fmt.Sprintf("memory grew from %d to %d", before, after))
	}
	return all
}
