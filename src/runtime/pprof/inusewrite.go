// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file writes the inuse profile as a protocol buffer and as text. Both
// have the layout of the heap profile, so that programs that read the heap
// profile can read this one. The text has the labels in comments, because the
// heap profile's text has no place for them. writeInuse (inuse.go) calls the
// functions.

package pprof

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
)

// writeInuseProto writes the profile as a compressed protocol buffer.
func writeInuseProto(w io.Writer, p *inuse) error {
	b := newProtoProfile(w, protoHeader{
		period:      p.rate,
		sampleTypes: []protoType{{"inuse_objects", "count"}, {"inuse_space", "bytes"}, {"scan_space", "bytes"}, {"unused_space", "bytes"}},
		defaultType: "inuse_space",
		comments:    p.comments,
	})
	b.start = realTime()
	var locs []uint64
	for _, s := range p.samples {
		locs = b.appendCallers(locs[:0], s.stack)
		b.pbSample([]int64{s.objects, s.space, s.scan, s.unused}, locs, func() { b.inuseLabels(s) })
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

// writeInuseText writes the profile as text. It has the objects and bytes that
// were sampled, not estimates. The samples with the most bytes come first.
func writeInuseText(w io.Writer, p *inuse) error {
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
		fmt.Fprintf(b, "# type: %s, age: %d gcs, root: %s", s.typ, s.age, s.root)
		if s.leaked {
			fmt.Fprintf(b, ", %s: %s", refsLeakedLabel[0], refsLeakedLabel[1])
		}
		fmt.Fprintf(b, "\n# retained_by: %s\n", s.retainedBy)
		printMemLabels(b, s.labels)
		printStackRecord(b, s.stack, false)
	}
	return b.Flush()
}
