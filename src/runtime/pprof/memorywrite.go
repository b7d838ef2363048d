// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The memory profile as a protocol buffer and as text. Called by writeMemory (memory.go).

package pprof

import (
	"bufio"
	"cmp"
	"fmt"
	"internal/profilerecord"
	"io"
	"slices"
	"strings"
)

// writeMemoryProto writes the profile as a compressed protocol buffer.
func writeMemoryProto(w io.Writer, s *memUsage) error {
	b := newProtoProfile(w, protoHeader{
		period:      s.rate,
		sampleTypes: []protoType{{"memory_space", "bytes"}},
		defaultType: "memory_space",
		comments:    s.comments(),
	})
	classes := s.classes()
	live, dead := b.nameLocations(classes[0].frames), b.nameLocations(classes[1].frames)
	var site, locs []uint64
	for i := range s.sites {
		r := &s.sites[i]
		labels := func() {
			b.pbLabel(tagSample_Label, "bytes", "", r.ObjectSize)
			b.pbMemLabels(r.Labels, "bytes")
		}
		site = b.appendCallers(site[:0], r.Stack)
		liveBytes, deadBytes := s.parts(r)
		for _, part := range []struct {
			bytes uint64
			root  []uint64
		}{{liveBytes, live}, {deadBytes, dead}} {
			if part.bytes != 0 {
				locs = append(append(locs[:0], site...), part.root...)
				b.pbSample([]int64{int64(part.bytes)}, locs, labels)
			}
		}
	}
	// What is not by site. There is a sample for each class, also if it is empty.
	for i, c := range classes {
		b.pbSample([]int64{int64(s.unsited(i, c))}, b.nameLocations(c.frames), nil)
	}
	return b.build()
}

// nameLocations returns the locations, leaf first, of frames that are names, root first.
func (b *profileBuilder) nameLocations(frames []string) []uint64 {
	locs := make([]uint64, len(frames))
	for i, name := range frames {
		locs[len(frames)-1-i] = b.nameLocation(name)
	}
	return locs
}

// nameLocation returns the location of a frame that is a name. It may be called between
// calls of appendLocsForStack: the location gets a place in b.locs, where that takes its
// numbers from, below the address of any code.
func (b *profileBuilder) nameLocation(name string) uint64 {
	function, written := b.funcs[name]
	if !written {
		function = len(b.funcs) + 1
		b.funcs[name] = function
		b.nameFunction(function, b.stringIndex(name))
	}
	if l, ok := b.locs[uintptr(function)]; ok {
		return l.id
	}
	id := uint64(len(b.locs)) + 1
	b.nameLine(id, function)
	b.locs[uintptr(function)] = locInfo{id: id}
	return id
}

// writeMemoryText writes the profile as text: the size of each class, sites included, and then the
// sites, those with the most bytes first.
func writeMemoryText(w io.Writer, s *memUsage) error {
	b := bufio.NewWriter(w)
	var sum uint64
	classes := s.classes()
	for _, c := range classes {
		sum += c.bytes
	}
	fmt.Fprintf(b, "memory profile: %d bytes\n", sum)
	for _, c := range s.comments() {
		fmt.Fprintf(b, "# %s\n", c)
	}
	for _, c := range classes {
		fmt.Fprintf(b, "# %s = %d\n", strings.Join(c.frames, " > "), c.bytes)
	}
	for _, class := range []struct {
		name string
		part func(*profilerecord.MemUsageRecord) uint64
	}{
		{classes[0].frames[1], func(r *profilerecord.MemUsageRecord) uint64 { live, _ := s.parts(r); return live }},
		{classes[1].frames[1], func(r *profilerecord.MemUsageRecord) uint64 { _, dead := s.parts(r); return dead }},
	} {
		slices.SortFunc(s.sites, func(x, y profilerecord.MemUsageRecord) int {
			return cmp.Or(cmp.Compare(class.part(&y), class.part(&x)), slices.Compare(x.Stack, y.Stack), cmp.Compare(x.ObjectSize, y.ObjectSize))
		})
		for i := range s.sites {
			if part := class.part(&s.sites[i]); part != 0 {
				printMemorySite(b, class.name, part, &s.sites[i])
			}
		}
	}
	return b.Flush()
}

// printMemorySite prints the part that a site has in a class.
func printMemorySite(w io.Writer, class string, bytes uint64, r *profilerecord.MemUsageRecord) {
	fmt.Fprintf(w, "\n%s: memory_space=%d object_size=%d", class, bytes, r.ObjectSize)
	printAddresses(w, r.Stack)
	printMemLabels(w, r.Labels)
	printStackRecord(w, r.Stack, false)
}
