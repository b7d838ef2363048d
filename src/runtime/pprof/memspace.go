// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Memory space: the sample type memory_space of the heap and allocs profiles, which shows
// where all memory of the process is (golang.org/issue/79179). Called by writeHeapInternal
// and writeHeapSpaceProto; the data comes from runtime/memspace.go.
//
// Its samples are beside those of the other types, and have 0 for these. They begin with
// frames that are names (memClasses has all of them):
//
//	stack, root first                  memory_space
//	Go memory, Live heap, F1 ... Fn    live objects that Fn allocated, called by ... by F1
//	Go memory, Dead heap, F1 ... Fn    likewise, objects found dead and swept
//	Go memory, Live heap               what estimates of live objects by site leave of
//	                                   their exact total; likewise Dead heap
//	Go memory, (class)                 other classes of Go's memory
//	Not Go's memory                    the rest of the resident size, if that is known
//
// All of Go's numbers are exact and of one moment, the mark termination that the profile's
// other sample types are of, except the parts of sites, which are estimated from sampled
// objects as inuse_space is. If they exceed the exact total they are scaled down to it. If
// they do not reach it they are left as they are, for a few samples may be far from what
// was sampled, and nothing is known of objects that were allocated when sampling was off:
// the difference is the value of the frame Live heap or Dead heap itself.
//
// What is not Go's is measured when the profile is written: the resident size less Go's
// memory of the same moment, if that is positive. Adding it to Go's memory as of mark
// termination amounts to taking the growth of Go's memory since then off the resident size:
//
//	sum = max(Go's memory, resident size - growth of Go's memory since mark termination)

package pprof

import (
	"fmt"
	"internal/profilerecord"
	"io"
	"math/bits"
	"strings"
	"time"
	_ "unsafe" // for linkname
)

// A memSpace is what memory is used for, and its samples while they are being written.
// A nil *memSpace writes nothing.
type memSpace struct {
	profilerecord.MemSpace // of Go's memory

	resident uint64 // resident size of the process, in bytes, when the profile is written
	source   string // where that is from; empty: there is none, and resident is 0
	ready    uint64 // Go's memory, as Total, at the same moment

	live, dead memSites

	b    *profileBuilder
	rate int64
	locs []uint64 // scratch space of sample
}

// memSites is the parts that sites have in a class of memory, in bytes.
type memSites struct {
	total    uint64   // of the class, exact
	estimate uint64   // the sum of the estimates of all sites
	written  uint64   // in samples of sites
	root     []uint64 // locations of the class's frames, leaf first
}

// complete measures the resident size.
func (s *memSpace) complete() {
	s.resident, s.source = residentSize()
	s.ready = pprof_goMemory()
}

// notGo returns the bytes of the resident size that are not Go's.
func (s *memSpace) notGo() uint64 { return max(s.resident, s.ready) - s.ready }

// A memClass is a class of memory, of bytes bytes. Frames is the names that samples have
// for it, root first.
type memClass struct {
	bytes  uint64
	frames []string
}

// classes returns all classes of memory, live objects first and then dead ones.
func (s *memSpace) classes() []memClass {
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
	}
	if s.source != "" {
		classes = append(classes, memClass{s.notGo(), []string{"Not Go's memory"}})
	}
	return classes
}

// estimate adds up what the records of all sites stand for, at a sampling rate.
func (s *memSpace) estimate(records []profilerecord.MemProfileRecord, rate int64) {
	s.rate = rate
	s.live.total, s.dead.total = s.Live, s.Dead
	for i := range records {
		r := &records[i]
		s.live.estimate += siteBytes(r.InUseObjects(), r.ObjectSize, rate)
		s.dead.estimate += siteBytes(r.DeadObjects, r.ObjectSize, rate)
	}
}

// siteBytes returns the bytes that count sampled objects of that size stand for.
func siteBytes(count, size, rate int64) uint64 {
	_, space := scaleHeapSample(count, size, rate)
	return uint64(max(space, 0))
}

// part returns the part that a site has whose estimate that is. The parts of all sites do
// not exceed the total.
func (m *memSites) part(estimate uint64) uint64 {
	part := estimate
	if m.estimate > m.total {
		hi, lo := bits.Mul64(estimate, m.total)
		part, _ = bits.Div64(hi, lo, m.estimate)
	}
	m.written += part
	return part
}

// begin writes the header of the sample type to b, which samples go to until end. It returns
// what the values of samples of other types are to be extended by.
func (s *memSpace) begin(b *profileBuilder) []int64 {
	if s == nil {
		return nil
	}
	s.b = b
	b.pbValueType(tagProfile_SampleType, "memory_space", "bytes")
	b.pbComments(s.comments())
	classes := s.classes()
	s.live.root = b.namesLocations(classes[0].frames)
	s.dead.root = b.namesLocations(classes[1].frames)
	return []int64{0}
}

// onlyDead reports whether r is there for its dead objects alone: other records have counts
// of what was allocated there, with labels or without.
func onlyDead(r *profilerecord.MemProfileRecord) bool {
	return r.DeadObjects != 0 && r.AllocObjects == 0 && r.FreeObjects == 0
}

// addSite writes the samples of the objects of r, whose call stack is locs.
func (s *memSpace) addSite(r *profilerecord.MemProfileRecord, locs []uint64) {
	if s == nil {
		return
	}
	labels := func() {
		s.b.pbLabel(tagSample_Label, "bytes", "", r.ObjectSize)
		s.b.pbMemLabels(r.Labels, "bytes")
	}
	for _, site := range []struct {
		sites *memSites
		count int64
	}{{&s.live, r.InUseObjects()}, {&s.dead, r.DeadObjects}} {
		if part := site.sites.part(siteBytes(site.count, r.ObjectSize, s.rate)); part != 0 {
			s.locs = append(append(s.locs[:0], locs...), site.sites.root...)
			s.sample(part, s.locs, labels)
		}
	}
}

// end writes the samples of what is not by site. There is one for each class, also if it
// is empty.
func (s *memSpace) end() {
	if s == nil {
		return
	}
	for i, c := range s.classes() {
		switch i {
		case 0:
			c.bytes -= s.live.written
		case 1:
			c.bytes -= s.dead.written
		}
		s.sample(c.bytes, s.b.namesLocations(c.frames), nil)
	}
}

// sample writes a sample.
func (s *memSpace) sample(bytes uint64, locs []uint64, labels func()) {
	s.b.pbSample([]int64{0, 0, 0, 0, int64(bytes)}, locs, labels)
}

// namesLocations returns the locations, leaf first, of frames that are names, root first.
func (b *profileBuilder) namesLocations(frames []string) []uint64 {
	locs := make([]uint64, len(frames))
	for i, name := range frames {
		locs[len(frames)-1-i] = b.namesLocation(name)
	}
	return locs
}

// namesLocation returns the location of a frame that is a name. It may be called between
// calls of appendLocsForStack: the location gets a place in b.locs, where that takes its
// numbers from, below the address of any code.
func (b *profileBuilder) namesLocation(name string) uint64 {
	function := b.funcs[name]
	place := uintptr(function)
	if l, ok := b.locs[place]; ok && function != 0 {
		return l.id
	}
	id := uint64(len(b.locs)) + 1
	b.nameLocation(id, name)
	b.locs[uintptr(b.funcs[name])] = locInfo{id: id}
	return id
}

// moment says which moment Go's memory is of.
func (s *memSpace) moment() string {
	if s.Cycle == 0 {
		return "no GC cycle published yet"
	}
	return fmt.Sprintf("GC cycle %d", s.Cycle)
}

// comments returns what the numbers are made from. Each begins with the moment, for the
// difference of two profiles has the comments of both, after a # that keeps them out of
// pprof's reports of other sample types.
func (s *memSpace) comments() []string {
	moment := "# " + s.moment() + ": "
	resident := moment + "memory_space is Go's memory alone: this system does not tell the resident size"
	if s.source != "" {
		resident = moment + fmt.Sprintf("%d bytes resident by %s when the profile was written, and Go's memory %d bytes then", s.resident, s.source, s.ready)
	}
	return []string{
		moment + "memory_space is as of " + time.Unix(0, s.Time).UTC().Format(time.RFC3339Nano),
		moment + fmt.Sprintf("Go's memory %d bytes, without %d bytes released to the system", s.Total(), s.Released),
		resident,
	}
}

// writeText writes the classes as text.
func (s *memSpace) writeText(w io.Writer) {
	fmt.Fprintf(w, "\n# memory_space\n")
	for _, c := range s.comments() {
		fmt.Fprintln(w, c)
	}
	for _, c := range s.classes() {
		fmt.Fprintf(w, "# %s = %d\n", strings.Join(c.frames, " > "), c.bytes)
	}
}

//go:linkname pprof_memProfileSpace runtime.pprof_memProfileSpace
func pprof_memProfileSpace(p []profilerecord.MemProfileRecord, space *profilerecord.MemSpace) (n int, ok bool)

//go:linkname pprof_goMemory runtime.pprof_goMemory
func pprof_goMemory() uint64
