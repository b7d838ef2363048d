// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The profile named memory reports where all memory of the process is
// (golang.org/issue/79179). Its data comes from runtime/memusage.go. This file
// computes its numbers, and memorywrite.go writes it.
//
// The sample type is memory_space. The stacks of samples begin with frames that
// are names (classes has all of them):
//
//	stack, root first                  memory_space
//	Go memory, Live heap, F1 ... Fn    live objects that Fn allocated, called by ... by F1
//	Go memory, Dead heap, F1 ... Fn    objects found dead and swept, in the same way
//	Go memory, Live heap               the exact total of live objects, less the
//	                                   parts of sites
//	Go memory, Dead heap               the same for dead objects
//	Go memory, (class)                 other classes of Go's memory
//	Not Go's memory                    the rest of the resident size, if that is known
//
// All of Go's numbers are exact and of one moment, the mark termination that
// the heap profile describes, with one exception: the parts of sites are
// estimated from sampled objects, as in the heap profile. If the sum of the
// parts exceeds the exact total, the parts are scaled down to it. If the sum is
// less than the total, the parts are left as they are, because a few samples
// may be far from the truth, and nothing is known of objects that were
// allocated when sampling was off. The difference is the value of the frame
// Live heap or Dead heap itself.
//
// Until the heap profile has a collection, the numbers are of the moment when
// the profile is taken. At that moment no object is known to be dead, and the
// frame is Uncollected heap instead of Live heap.
//
// Memory that is not Go's is measured when the profile is written. It is the
// resident size less Go's memory at that moment, or 0 if that is negative. The
// profile adds it to Go's memory as of mark termination. The sum is the larger
// of two values: Go's memory as of mark termination, and the resident size
// without the growth of Go's memory since then:
//
//	sum = max(Go's memory, resident size - growth of Go's memory since mark termination)

package pprof

import (
	"fmt"
	"internal/profilerecord"
	"io"
	"math/bits"
	"runtime"
	"time"
	_ "unsafe" // for linkname
)

var memoryProfile = &Profile{
	name:  "memory",
	count: countHeap,
	write: writeMemory,
}

// writeMemory writes the profile named memory.
func writeMemory(w io.Writer, debug int) error {
	s := readMemory()
	if debug > 0 {
		return writeMemoryText(w, s)
	}
	return writeMemoryProto(w, s)
}

// A memUsage has the amounts of memory by use.
type memUsage struct {
	profilerecord.MemUsage // of Go's memory

	resident uint64 // resident size of the process, in bytes, when the profile is written
	source   string // name of the file from which resident was read, or "" if resident is not known
	ready    uint64 // Go's memory when resident was measured; MemUsage.Total is Go's memory at mark termination

	rate       int64 // of sampling
	live, dead memSites
	sites      []profilerecord.MemUsageRecord
}

// readMemory reads the amounts of memory by use, and the resident size.
func readMemory() *memUsage {
	s := &memUsage{rate: int64(runtime.MemProfileRate)}
	n, ok := pprof_memProfileInternal(nil, true)
	for {
		// There may be more sites by the next call: leave some room for
		// them.
		s.sites = make([]profilerecord.MemUsageRecord, n+50)
		if n, ok = pprof_memProfileUsage(s.sites, &s.MemUsage); ok {
			break
		}
	}
	s.sites = s.sites[:n]
	for i := range s.sites {
		if isRecordingStack(s.sites[i].Stack) {
			s.sites[i].Stack = recordingStack()
		}
	}
	s.complete()
	s.divide()
	return s
}

// complete measures the resident size, and Go's memory at that moment.
func (s *memUsage) complete() {
	s.resident, s.source = residentSize()
	s.ready = pprof_goMemory()
}

// notGo returns the number of bytes of the resident size that are not Go's.
func (s *memUsage) notGo() uint64 { return max(s.resident, s.ready) - s.ready }

// A memClass is a class of memory and its size in bytes. frames has the names
// of its frames in samples, root first.
type memClass struct {
	bytes  uint64
	frames []string
}

// classes returns all classes of memory, live objects first and then dead ones.
func (s *memUsage) classes() []memClass {
	const (
		golang  = "Go memory"
		runtime = "Runtime structures"
	)
	live := "Live heap"
	if s.Cycle == 0 {
		live = "Uncollected heap"
	}
	classes := []memClass{
		{s.Live, []string{golang, live}},
		{s.Dead, []string{golang, "Dead heap"}},
		{s.Fragmented, []string{golang, "Fragmented heap"}},
		{s.Free, []string{golang, "Free heap"}},
		{s.Stacks, []string{golang, "Goroutine stacks"}},
		{s.OSStacks, []string{golang, "Thread stacks"}},
		{s.MSpanInUse, []string{golang, runtime, "mspan in use"}},
		{s.MSpanFree, []string{golang, runtime, "mspan free"}},
		{s.MCacheInUse, []string{golang, runtime, "mcache in use"}},
		{s.MCacheFree, []string{golang, runtime, "mcache free"}},
		{s.MetadataOther, []string{golang, runtime, "other metadata"}},
		{s.Buckets, []string{golang, runtime, "profiling buckets"}},
		{s.Other, []string{golang, runtime, "other"}},
		{s.Reserve, []string{golang, "Reserve of runtime/evidence"}},
	}
	if s.source != "" {
		classes = append(classes, memClass{s.notGo(), []string{"Not Go's memory"}})
	}
	return classes
}

// divide divides the live and the dead objects among the sites. It also adds
// the label of each site's scope to the site's labels.
func (s *memUsage) divide() {
	s.live.total, s.dead.total = s.Live, s.Dead
	for i := range s.sites {
		r := &s.sites[i]
		r.Labels = withScope(r.Labels, r.Scope)
		s.live.estimate += siteBytes(r.InUseObjects(), r.ObjectSize, s.rate)
		s.dead.estimate += siteBytes(r.DeadObjects, r.ObjectSize, s.rate)
	}
	for i := range s.sites {
		live, dead := s.parts(&s.sites[i])
		s.live.parts += live
		s.dead.parts += dead
	}
}

// parts returns the bytes of a site's live and dead objects.
func (s *memUsage) parts(r *profilerecord.MemUsageRecord) (live, dead uint64) {
	return s.live.part(siteBytes(r.InUseObjects(), r.ObjectSize, s.rate)), s.dead.part(siteBytes(r.DeadObjects, r.ObjectSize, s.rate))
}

// unsited returns the bytes of c, the class with index i, that are in no site's
// part.
func (s *memUsage) unsited(i int, c memClass) uint64 {
	switch i {
	case 0:
		return c.bytes - s.live.parts
	case 1:
		return c.bytes - s.dead.parts
	}
	return c.bytes
}

// moment returns a text that names the moment of Go's memory.
func (s *memUsage) moment() string {
	if s.Cycle == 0 {
		return "no GC cycle published yet"
	}
	return fmt.Sprintf("GC cycle %d", s.Cycle)
}

// comments returns the sources of the numbers. Each comment begins with the
// moment, because the difference of two profiles has the comments of both.
func (s *memUsage) comments() []string {
	moment := s.moment() + ": "
	resident := moment + "memory_space is Go's memory alone: this system does not report the resident size"
	if s.source != "" {
		resident = moment + fmt.Sprintf("%d bytes resident by %s when the profile was written, and Go's memory %d bytes then", s.resident, s.source, s.ready)
	}
	return []string{
		moment + "memory_space is as of " + time.Unix(0, s.Time).UTC().Format(time.RFC3339Nano),
		moment + fmt.Sprintf("Go's memory %d bytes, without %d bytes released to the system", s.Total(), s.Released),
		resident,
	}
}

// memSites divides a class of memory among sites. All values are in bytes.
type memSites struct {
	total    uint64 // size of the class, exact
	estimate uint64 // the sum of the estimates of all sites
	parts    uint64 // the sum of all parts
}

// part returns the part of a site that has this estimate. The parts of all
// sites together do not exceed the total.
func (m *memSites) part(estimate uint64) uint64 {
	part := estimate
	if m.estimate > m.total {
		hi, lo := bits.Mul64(estimate, m.total)
		part, _ = bits.Div64(hi, lo, m.estimate)
	}
	return part
}

// siteBytes returns the number of bytes for which sampled objects stand. Their
// number is count, and each has the given size in bytes.
func siteBytes(count, size, rate int64) uint64 {
	_, space := scaleHeapSample(count, size, rate)
	return uint64(max(space, 0))
}

//go:linkname pprof_memProfileUsage runtime.pprof_memProfileUsage
func pprof_memProfileUsage(p []profilerecord.MemUsageRecord, usage *profilerecord.MemUsage) (n int, ok bool)

//go:linkname pprof_goMemory runtime.pprof_goMemory
func pprof_goMemory() uint64
