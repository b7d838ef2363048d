// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file writes the profile named memory as a protocol buffer
// (writeMemoryProto) or as text (writeMemoryText). writeMemory (memory.go)
// calls these two functions.

package pprof

import (
	"bufio"
	"cmp"
	"fmt"
	"internal/profilerecord"
	"io"
	"slices"
	"sort"
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
	// Write the rest of each class, which no site has. Each class has a
	// sample, even if its value is 0.
	for i, c := range classes {
		b.pbSample([]int64{int64(s.unsited(i, c))}, b.nameLocations(c.frames), nil)
	}
	return b.build()
}

// nameLocations returns the locations of frames that are names. Frames are root
// first, and locations leaf first.
func (b *profileBuilder) nameLocations(frames []string) []uint64 {
	locs := make([]uint64, len(frames))
	for i, name := range frames {
		locs[len(frames)-1-i] = b.nameLocation(name)
	}
	return locs
}

// nameLocation returns the location of a frame that is a name. It may be called
// between calls of appendLocsForStack. It stores the location in b.locs,
// because appendLocsForStack computes IDs from the length of b.locs. The key is
// less than the address of any code.
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

// writeMemoryText writes the profile as text: the sum of all classes, the
// comments, the size of each class including its sites, the sites of live
// objects, and the sites of dead objects. In each of the two lists of sites,
// those with the most bytes come first.
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
		sort.Slice(s.sites, func(i, j int) bool { // adds less code than slices.SortFunc
			x, y := &s.sites[i], &s.sites[j]
			if c := cmp.Or(cmp.Compare(class.part(y), class.part(x)), slices.Compare(x.Stack, y.Stack), cmp.Compare(x.ObjectSize, y.ObjectSize)); c != 0 {
				return c < 0
			}
			return (*labelMap)(x.Labels).String() < (*labelMap)(y.Labels).String()
		})
		for i := range s.sites {
			if part := class.part(&s.sites[i]); part != 0 {
				printMemorySite(b, class.name, part, &s.sites[i])
			}
		}
	}
	return b.Flush()
}

// printMemorySite prints a site and its part of a class, in bytes.
func printMemorySite(w io.Writer, class string, bytes uint64, r *profilerecord.MemUsageRecord) {
	fmt.Fprintf(w, "\n%s: memory_space=%d object_size=%d", class, bytes, r.ObjectSize)
	printAddresses(w, r.Stack)
	printMemLabels(w, r.Labels)
	printStackRecord(w, r.Stack, false)
}
