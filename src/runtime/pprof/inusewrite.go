// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The inuse profile as a protocol buffer and as text. Both are laid out as the heap
// profile is, so that what reads that reads this; the text has the labels, for which
// the heap profile's text has no place, in comments. Called by writeInuse (inuse.go).

package pprof

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
)

// writeProto writes the profile as a compressed protocol buffer.
func (p *inuse) writeProto(w io.Writer) error {
	b := newProfileBuilder(w)
	b.pbHeader(protoHeader{
		periodType:  protoType{"space", "bytes"},
		period:      p.rate,
		sampleTypes: []protoType{{"inuse_objects", "count"}, {"inuse_space", "bytes"}},
		defaultType: "inuse_space",
		doc:         "Profile",
	})
	b.pbComments(p.comments)
	var locs []uint64
	for _, s := range p.samples {
		locs = b.appendLocsForStack(locs[:0], callersOfRuntime(s.stack))
		if len(locs) == 0 {
			locs = b.appendLocsForStack(locs, s.stack)
		}
		b.pbSample([]int64{s.objects, s.space}, locs, func() { b.inuseLabels(s) })
	}
	return b.build()
}

// inuseLabels writes the labels of a sample.
func (b *profileBuilder) inuseLabels(s *inuseSample) {
	b.pbLabel(tagSample_Label, "bytes", "", s.size)
	if s.typ != "" {
		b.pbLabel(tagSample_Label, "type", s.typ, 0)
	}
	b.pbLabel(tagSample_Label, "root", s.root, 0)
	b.pbLabel(tagSample_Label, "retained_by", s.retainedBy, 0)
	if s.leaked {
		b.pbLabel(tagSample_Label, refsLeakedLabel[0], refsLeakedLabel[1], 0)
	}
	b.pbUnitLabel("age", int64(s.age), "gcs")
	b.pbMemLabels(s.labels, "bytes", "type", "root", "retained_by", refsLeakedLabel[0], "age")
}

// callersOfRuntime returns stk without the runtime's functions that were called last, or
// all of it if there are no others. The heap profile hides the same.
func callersOfRuntime(stk []uintptr) []uintptr {
	first := slices.IndexFunc(stk, func(pc uintptr) bool {
		f := runtime.FuncForPC(pc)
		return f == nil || !strings.HasPrefix(f.Name(), "runtime.") && !strings.HasPrefix(f.Name(), "internal/runtime/")
	})
	return stk[max(first, 0):]
}

// writeText writes the profile as text: as many objects and bytes as were sampled, those
// with the most bytes first.
func (p *inuse) writeText(w io.Writer) error {
	b := bufio.NewWriter(w)
	var objects, bytes int64
	for _, s := range p.samples {
		objects += s.sampled
		bytes += s.sampled * s.size
	}
	printSampledTotal(b, objects, bytes, p.rate)
	for _, c := range p.comments {
		fmt.Fprintf(b, "# %s\n", c)
	}
	slices.SortFunc(p.samples, func(x, y *inuseSample) int {
		return cmp.Or(cmp.Compare(y.sampled*y.size, x.sampled*x.size), x.compare(y))
	})
	for _, s := range p.samples {
		printSampled(b, s.sampled, s.sampled*s.size, s.stack)
		fmt.Fprintf(b, "# type: %s, age: %d gcs, root: %s\n# retained_by: %s\n", s.typ, s.age, s.root, s.retainedBy)
		printMemLabels(b, s.labels)
		printStackRecord(b, s.stack, false)
	}
	return b.Flush()
}

// printSampledTotal prints the first line of a text that is one of a heap profile to its
// readers, with what is alive in the place of what was allocated as well. For them the rate
// is twice as large.
func printSampledTotal(w io.Writer, objects, bytes, rate int64) {
	fmt.Fprintf(w, "heap profile: %d: %d [%[1]d: %[2]d] @ heap/%d\n", objects, bytes, 2*rate)
}

// printSampled prints a line of such a text, of the objects of one call stack.
func printSampled(w io.Writer, objects, bytes int64, stack []uintptr) {
	fmt.Fprintf(w, "%d: %d [%[1]d: %[2]d] @", objects, bytes)
	for _, pc := range stack {
		fmt.Fprintf(w, " %#x", pc)
	}
	fmt.Fprintln(w)
}
