// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The profile named memory (golang.org/issue/79179) reports where all memory of
// the process is. Its data comes from runtime/memusage.go. This file computes its
// numbers, and memorywrite.go writes it.
//
// The sample types are taken_space and memory_space. For Go's memory, the first
// is what Go has taken from the system, as the metrics have it, and the second
// is the part of it that has pages. The sum of memory_space is the resident
// size of the process. Both are of the moment when the profile is taken.
//
// The stacks of samples begin with frames that are names of classes (classes
// has all of them). Below the two classes of heap objects are the call stacks
// that allocated them. Only this division is estimated, from sampled objects,
// as in the heap profile (see divide). What no call stack has is the value of
// the class itself.

package pprof

import (
	"fmt"
	"internal/profilerecord"
	"internal/race"
	"io"
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
	s, err := readMemory()
	if err != nil {
		return err
	}
	if debug > 0 {
		return writeMemoryText(w, s)
	}
	return writeMemoryProto(w, s)
}

// A memUsage has the amounts of memory by use.
type memUsage struct {
	profilerecord.MemUsage // of Go's memory
	resident               residentMemory
	foreign                *foreignMemory // nil if the system does not divide it

	rate  int64 // of sampling
	sites []memSite
	rest  [2]memSpace // of the two classes of heap objects: what no site has
}

// A memSite has the parts of a record in the two classes of heap objects: those
// that the latest collection found alive, and those that were allocated since.
type memSite struct {
	profilerecord.MemUsageRecord
	parts [2]memSpace
}

// A residentMemory is the resident size of the process.
type residentMemory struct {
	bytes  uint64
	lazy   uint64 // the part that the system will take when it needs memory (MADV_FREE)
	source string // name of the file, or "" if the size is not known
	err    error  // if there is the file, and no descriptor for it
}

// readMemory reads the amounts of memory by use, and the resident size. Without
// that, the sum would lack all memory that is not Go's, and a difference of two
// profiles would show this memory as grown.
func readMemory() (*memUsage, error) {
	s := &memUsage{rate: int64(runtime.MemProfileRate)}
	var pages pagemap
	closePages, err := pages.open()
	defer closePages()
	if err == nil {
		s.foreign, err = readForeign(&pages)
	}
	if err != nil {
		return nil, fmt.Errorf("pprof: %w", err)
	}
	var records []profilerecord.MemUsageRecord
	s.MemUsage, records = pprof_memProfileUsage(func() { s.resident = residentSize() }, pages.fill)
	if s.resident.err != nil {
		return nil, fmt.Errorf("pprof: %w", s.resident.err)
	}
	s.divide(records)
	return s, nil
}

// divide divides the heap objects among the sites.
func (s *memUsage) divide(records []profilerecord.MemUsageRecord) {
	s.sites = make([]memSite, len(records))
	for i, r := range records {
		if isRecordingStack(r.Stack) {
			r.Stack = recordingStack()
		}
		r.Labels = withScope(r.Labels, r.Scope)
		s.sites[i].MemUsageRecord = r
	}
	estimates := make([]siteEstimate, len(records))
	for i, class := range s.classes()[:2] {
		for j := range s.sites {
			r := &s.sites[j]
			estimates[j], _ = estimateSite(r.objects(i), r.ObjectSize, s.rate)
		}
		parts, rest := divide(class.taken, estimates)
		s.rest[i].taken = rest
		for j := range s.sites {
			r, e := &s.sites[j], &estimates[j]
			r.parts[i].taken = parts[j]
			if e.sampled != 0 {
				absent := min(r.absent(i), e.sampled)
				e.more = parts[j] - min(parts[j], e.sampled)
				e.more -= uint64(float64(e.more) * float64(absent) / float64(e.sampled))
				e.sampled -= absent
			}
		}
		parts, s.rest[i].present = divide(class.present, estimates)
		s.fill(i, parts)
	}
}

// fill sets the parts of a class that are present. No part is larger than what
// is taken, and neither is the rest: the sampled objects may have told of too
// many absent bytes.
func (s *memUsage) fill(class int, parts []uint64) {
	rest := &s.rest[class]
	for i := range s.sites {
		part := &s.sites[i].parts[class]
		part.present = min(parts[i], part.taken)
		rest.present += parts[i] - part.present
	}
	for i := range s.sites {
		part := &s.sites[i].parts[class]
		more := min(max(rest.present, rest.taken)-rest.taken, part.taken-part.present)
		part.present += more
		rest.present -= more
	}
}

// objects and absent return the number of a site's sampled objects in one of
// the two classes, and how many of their bytes have no pages.
func (r *memSite) objects(class int) int64 {
	if class == 0 {
		return r.AllocObjects - r.NewObjects
	}
	return r.NewObjects
}

func (r *memSite) absent(class int) uint64 {
	if class == 0 {
		return uint64(r.LiveAbsent)
	}
	return uint64(r.NewAbsent)
}

// classes returns all classes of memory. The first two are those of heap
// objects.
func (s *memUsage) classes() []memClass {
	recent := "Allocated since the last collection"
	if s.Cycle == 0 {
		recent = "Allocated since the start"
	}
	classes := goClasses(&s.MemClasses, recent)
	for i, absent := range goClasses(&s.Absent, "") {
		classes[i].present -= absent.taken
	}
	var lazy uint64
	if s.Lazy {
		lazy = min(s.Returned, s.resident.lazy)
	}
	const released = "Released heap"
	classes = append(classes,
		memClass{memSpace{0, lazy}, []string{goMemory, released, "LazyFree"}},
		memClass{memSpace{0, s.Returned - lazy}, []string{goMemory, released, "Huge pages"}})
	if s.resident.source != "" {
		classes = append(classes, s.foreign.classes(s.notGo())...)
	}
	return classes
}

// present returns the bytes of Go's memory that have pages.
func (s *memUsage) present() uint64 { return s.Total() - s.Absent.Total() + s.Returned }

// notGo returns the bytes of the resident size that are not Go's.
func (s *memUsage) notGo() uint64 { return max(s.resident.bytes, s.present()) - s.present() }

// unsited returns the bytes of c, the class with index i, that no site has.
func (s *memUsage) unsited(i int, c memClass) memSpace {
	if i < len(s.rest) {
		return s.rest[i]
	}
	return c.memSpace
}

// comments returns the sources of the numbers. Each comment begins with the
// latest collection, because the difference of two profiles has the comments of
// both.
func (s *memUsage) comments() []string {
	moment, collection := "before the first GC cycle: ", "no object was found dead yet"
	if s.Cycle != 0 {
		moment = fmt.Sprintf("after GC cycle %d: ", s.Cycle)
		collection = fmt.Sprintf("it found %d bytes of objects dead; they are no longer objects", s.Freed)
	}
	pages := ", of which this system does not tell which have pages"
	if s.Pages {
		pages = fmt.Sprintf(", of which %d have no pages, and has released %d bytes, of which %d have pages", s.Absent.Total(), s.Released, s.Returned)
	}
	resident := "memory_space is Go's memory alone: this system does not report the resident size"
	if s.resident.source != "" {
		resident = fmt.Sprintf("%d bytes resident by %s", s.resident.bytes, s.resident.source)
	}
	built := ""
	if race.Enabled {
		built = " (built with -race)"
	}
	all := []string{
		moment + "memory_space" + built + " is as of " + time.Unix(0, s.Time).UTC().Format(time.RFC3339Nano),
		moment + resident,
		moment + fmt.Sprintf("Go has taken %d bytes", s.Total()) + pages,
		moment + collection,
	}
	if s.foreign != nil {
		all = append(all, moment+s.foreign.comment())
	}
	return all
}

// pprof_memProfileUsage is defined in runtime/memusage.go.
//
//go:linkname pprof_memProfileUsage runtime.pprof_memProfileUsage
func pprof_memProfileUsage(measure func(), fill func(base, n uintptr, present []byte) bool) (profilerecord.MemUsage, []profilerecord.MemUsageRecord)
