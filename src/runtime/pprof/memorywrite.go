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
	"io"
	"slices"
	"strings"
)

// writeMemoryProto writes the profile as a compressed protocol buffer.
func writeMemoryProto(w io.Writer, s *memUsage) error {
	b := newProtoProfile(w, protoHeader{
		period:      s.rate,
		sampleTypes: []protoType{{"taken_space", "bytes"}, {"memory_space", "bytes"}},
		defaultType: "memory_space",
		comments:    s.comments(),
	})
	classes := s.classes()
	roots := [][]uint64{b.nameLocations(classes[0].frames), b.nameLocations(classes[1].frames)}
	var site, locs []uint64
	for i := range s.sites {
		r := &s.sites[i]
		labels := func() {
			b.pbLabel(tagSample_Label, "bytes", "", r.ObjectSize)
			b.pbMemLabels(r.Labels, "bytes")
		}
		site = b.appendCallers(site[:0], r.Stack)
		for class, part := range r.parts {
			if part != (memSpace{}) {
				locs = append(append(locs[:0], site...), roots[class]...)
				b.pbSample(part.values(), locs, labels)
			}
		}
	}
	// Write the rest of each class, which no site has. Each class has a
	// sample, even if its value is 0.
	for i, c := range classes {
		b.pbSample(s.unsited(i, c).values(), b.nameLocations(c.frames), nil)
	}
	return b.build()
}

// values returns the values of a sample.
func (m memSpace) values() []int64 { return []int64{int64(m.taken), int64(m.present)} }

// writeMemoryText writes the profile as text: the sum of all classes, the
// comments, the size of each class including its sites, and the sites of the
// two classes of heap objects. In each of the two lists of sites, those with
// the most bytes come first.
func writeMemoryText(w io.Writer, s *memUsage) error {
	b := bufio.NewWriter(w)
	var sum uint64
	classes := s.classes()
	for _, c := range classes {
		sum += c.present
	}
	fmt.Fprintf(b, "memory profile: %d bytes\n", sum)
	for _, c := range s.comments() {
		fmt.Fprintf(b, "# %s\n", c)
	}
	for _, c := range classes {
		fmt.Fprintf(b, "# %s = %d", strings.Join(c.frames, " > "), c.present)
		if c.frames[0] == goMemory {
			fmt.Fprintf(b, " (taken %d)", c.taken)
		}
		fmt.Fprintln(b)
	}
	for class := range s.rest {
		sites := sorted(s.sites, func(x, y *memSite) int {
			if c := cmp.Or(cmp.Compare(y.parts[class].present, x.parts[class].present), cmp.Compare(y.parts[class].taken, x.parts[class].taken),
				slices.Compare(x.Stack, y.Stack), cmp.Compare(x.ObjectSize, y.ObjectSize)); c != 0 {
				return c
			}
			return strings.Compare((*labelMap)(x.Labels).String(), (*labelMap)(y.Labels).String())
		})
		for _, r := range sites {
			if r.parts[class] != (memSpace{}) {
				fmt.Fprintf(b, "\n%s: memory_space=%d taken_space=%d object_size=%d", classes[class].frames[1], r.parts[class].present, r.parts[class].taken, r.ObjectSize)
				printAddresses(b, r.Stack)
				printMemLabels(b, r.Labels)
				printStackRecord(b, r.Stack, false)
			}
		}
	}
	return b.Flush()
}
