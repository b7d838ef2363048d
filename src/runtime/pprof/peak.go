// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The peak profile reports what Go's memory was at the moment when the process
// last grew to a new maximum. Its data comes from runtime/peak.go. The
// outermost frames of samples are names of classes, whose sum is exact. Only
// the division of heap objects among call stacks is estimated (see divide).

package pprof

import (
	"bufio"
	"cmp"
	"fmt"
	"internal/profilerecord"
	"io"
	"runtime"
	"slices"
	"strings"
	"time"
	_ "unsafe" // for linkname
)

var peakProfile = &Profile{
	name:  "peak",
	count: countPeak,
	write: writePeak,
}

func countPeak() int {
	return pprof_peakProfileInternal(nil)
}

// writePeak writes the peak profile.
func writePeak(w io.Writer, debug int) error {
	rate := int64(runtime.MemProfileRate)
	records, m, unixNano := readPeak()
	comment := fmt.Sprintf("peak: %d bytes in use at %s", m.Total(), time.Unix(0, unixNano).UTC().Format(time.RFC3339Nano))
	classes := goClasses(&m, "Heap objects")
	if debug > 0 {
		return writePeakText(w, records, rate, comment, classes)
	}
	b := newProtoProfile(w, protoHeader{
		period:      rate,
		sampleTypes: []protoType{{"peak_objects", "count"}, {"peak_space", "bytes"}},
		defaultType: "peak_space",
		comments:    []string{comment},
	})
	estimates, objects := make([]siteEstimate, len(records)), make([]int64, len(records))
	var sampled uint64
	for i, r := range records {
		estimates[i], objects[i] = estimateSite(r.AllocObjects, r.ObjectSize, rate)
		sampled += estimates[i].sampled
	}
	heap, free := &classes[1], &classes[2]
	uncounted := min(max(sampled, heap.taken)-heap.taken, free.taken) // by mcaches, at the peak
	heap.taken += uncounted
	free.taken -= uncounted
	parts, rest := divide(heap.taken, estimates)
	heap.taken = rest
	root := b.nameLocations(heap.frames)
	var locs []uint64
	for i, r := range records {
		locs = append(b.appendCallers(locs[:0], r.Stack), root...)
		count := scaleDown(uint64(objects[i]), parts[i], estimates[i].sampled+estimates[i].more)
		b.pbSample([]int64{int64(count), int64(parts[i])}, locs, func() {
			b.pbLabel(tagSample_Label, "bytes", "", r.ObjectSize)
		})
	}
	for _, c := range classes {
		if c.taken != 0 {
			b.pbSample([]int64{0, int64(c.taken)}, b.nameLocations(c.frames), nil)
		}
	}
	return b.build()
}

// readPeak returns the records, and the classes and time of their peak. The
// records with the most bytes come first, and those of recordings of references
// are left out. If a new peak came during the read, readPeak reads again. It
// uses the same memory if the records fit in it, because taking more memory
// might make another peak. If a new peak comes during each read, readPeak stops
// after 100 repetitions.
func readPeak() (records []profilerecord.MemProfileRecord, classes profilerecord.MemClasses, unixNano int64) {
	var epoch uint32
	n := pprof_peakProfileInternal(nil)
	for attempt := 0; ; attempt++ {
		if n > len(records) {
			// There may be more records by the next call: leave
			// some room for them.
			records = make([]profilerecord.MemProfileRecord, n+50)
		}
		classes, unixNano, epoch = pprof_peak()
		n = pprof_peakProfileInternal(records)
		if _, _, now := pprof_peak(); n <= len(records) && (now == epoch || attempt >= 100) {
			break
		}
	}
	records = slices.DeleteFunc(records[:n], func(r profilerecord.MemProfileRecord) bool {
		return isRecordingStack(r.Stack)
	})
	records = inOrder(records, func(x, y *profilerecord.MemProfileRecord) int {
		return cmp.Or(cmp.Compare(y.InUseBytes(), x.InUseBytes()), slices.Compare(x.Stack, y.Stack), cmp.Compare(x.ObjectSize, y.ObjectSize))
	})
	return records, classes, unixNano
}

// writePeakText writes records in the text form of heap profiles, without
// scaling, after comments with the classes.
func writePeakText(w io.Writer, records []profilerecord.MemProfileRecord, rate int64, comment string, classes []memClass) error {
	b := bufio.NewWriter(w)
	var objects, bytes int64
	for i := range records {
		objects += records[i].InUseObjects()
		bytes += records[i].InUseBytes()
	}
	printSampledTotal(b, objects, bytes, rate)
	fmt.Fprintf(b, "# %s\n", comment)
	for _, c := range classes {
		if c.taken != 0 {
			fmt.Fprintf(b, "# %s = %d\n", strings.Join(c.frames, " > "), c.taken)
		}
	}
	for i := range records {
		r := &records[i]
		printSampled(b, r.InUseObjects(), r.InUseBytes(), r.Stack)
		printStackRecord(b, r.Stack, false)
	}
	return b.Flush()
}

// pprof_peakProfileInternal and pprof_peak are defined in runtime/peak.go.
//
//go:linkname pprof_peakProfileInternal
func pprof_peakProfileInternal(p []profilerecord.MemProfileRecord) (n int)

//go:linkname pprof_peak
func pprof_peak() (classes profilerecord.MemClasses, unixNano int64, epoch uint32)
