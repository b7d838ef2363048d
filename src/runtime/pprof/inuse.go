// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The inuse profile reports where live objects were allocated, and by which
// paths of references they are reached. writeInuse takes a recording with
// allocation sites (refsqueue.go), merges the sampled objects that have the
// same site and labels, and scales them as the heap profile does. inusewrite.go
// writes them. Other requests may share the recording, so nothing here changes
// it.

package pprof

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"unsafe"
)

var inuseProfile = &Profile{
	name:  "inuse",
	count: countInuse,
	write: writeInuse,
}

// inuseCount is the number of samples of the latest profile.
var inuseCount atomic.Int64

// countInuse returns the number of samples of the latest profile, or 0 if there
// was none. It does not record, because code that lists all profiles calls it.
func countInuse() int {
	return int(inuseCount.Load())
}

var errInuseOff = errors.New("runtime/pprof: inuse: no allocations are sampled: set runtime.MemProfileRate, " +
	"to 512*1024 for example, as early as possible in the program")

// writeInuse records and writes an inuse profile.
func writeInuse(w io.Writer, debug int) error {
	if debug > 0 {
		return writeInuseWith(w, writeInuseText)
	}
	return writeInuseWith(w, writeInuseProto)
}

// writeInuseWith records, and writes the profile with write.
func writeInuseWith(w io.Writer, write func(io.Writer, *inuse) error) error {
	rate := runtime.MemProfileRate
	if rate <= 0 {
		return errInuseOff
	}
	defer pprof_setRecording(pprof_setRecording(true))
	r, err := refsRequests.take(true)
	if err != nil {
		return fmt.Errorf("runtime/pprof: inuse: %w", err)
	}
	p := newInuse(r, int64(rate))
	inuseCount.Store(int64(len(p.samples)))
	return write(w, p)
}

// An inuse has the sampled objects of a recording, with their labels.
type inuse struct {
	rate     int64
	comments []string
	samples  []*inuseSample // all samples of one site are adjacent until writeInuseText sorts them by bytes
}

// An inuseKey distinguishes a sample from all others.
type inuseKey struct {
	site       int32 // number of a stack and an object size, in order of first occurrence
	typ        string
	root       string
	leaked     bool
	retainedBy string
	age        uint32
	labelText  string
}

type inuseSample struct {
	inuseKey
	stack          []uintptr
	labels         unsafe.Pointer // *labelMap
	size           int64          // of one object, in bytes
	sampled        int64          // number of objects that were sampled
	scanned        int64          // bytes of these that the collection scanned
	unreferred     int64          // bytes of these to which no reference refers
	objects, space int64          // estimated number of all objects, sampled or not, and of their bytes
	scan, unused   int64          // estimated bytes that the collection scanned, and to which no reference refers
}

// newInuse makes the profile of a recording. rate is the sampling rate.
func newInuse(r *refs, rate int64) *inuse {
	p := &inuse{rate: rate, comments: slices.Clone(r.comments)}
	if n := r.header.LostSites; n != 0 {
		p.comments = append(p.comments, fmt.Sprintf("GC cycle %d: lost for want of memory: %d bytes in %d sampled objects",
			r.header.Cycle, r.header.LostSiteBytes, n))
	}
	if before := r.header.SitesBefore; before != 0 {
		p.comments = append(p.comments, fmt.Sprintf("GC cycle %d: the inuse profile before is of GC cycle %d", r.header.Cycle, before))
	}
	type siteKey struct {
		stack *uintptr
		size  int64
	}
	sites := newNumbering[siteKey](0)
	index := make(map[inuseKey]*inuseSample)
	paths := make(map[int32]string)
	for _, s := range r.sites {
		site := sites.number(siteKey{unsafe.SliceData(s.Stack), s.Size})
		if _, ok := paths[s.path]; !ok {
			paths[s.path] = r.pathText(s.path)
		}
		g := r.group(s.path)
		labels := withScope(s.Labels, s.Scope)
		key := inuseKey{site, r.types[s.typ], g.root, g.leaked(), paths[s.path], s.Age, (*labelMap)(labels).String()}
		sample := index[key]
		if sample == nil {
			sample = &inuseSample{inuseKey: key, stack: s.Stack, size: s.Size, labels: labels}
			index[key] = sample
			p.samples = append(p.samples, sample)
		}
		sample.sampled += s.Objects
		sample.scanned += s.Scan
		sample.unreferred += s.Unused
	}
	slices.SortFunc(p.samples, (*inuseSample).compare)
	p.scale()
	return p
}

// compare orders samples by site, then by the number of sampled objects, the
// largest first, and then by labels.
func (a *inuseSample) compare(b *inuseSample) int {
	return cmp.Or(cmp.Compare(a.site, b.site), cmp.Compare(b.sampled, a.sampled),
		strings.Compare(a.retainedBy, b.retainedBy), strings.Compare(a.typ, b.typ), cmp.Compare(a.age, b.age),
		strings.Compare(a.root, b.root), strings.Compare(a.labelText, b.labelText))
}

// scale estimates the number of objects that the sampled ones stand for, as the
// heap profile does for all objects of a site. It adds up the samples of a site
// one by one, and gives each sample the increase of the estimate. The samples
// of a site therefore add up to exactly the estimate that the heap profile
// would have for their objects together.
func (p *inuse) scale() {
	var sampled, objects, space int64
	for i, s := range p.samples {
		if i == 0 || s.site != p.samples[i-1].site {
			sampled, objects, space = 0, 0, 0
		}
		sampled += s.sampled
		o, b := scaleHeapSample(sampled, s.size, p.rate)
		s.objects, s.space = o-objects, b-space
		objects, space = o, b
		ratio := float64(s.space) / float64(s.sampled*s.size)
		s.scan, s.unused = int64(float64(s.scanned)*ratio), int64(float64(s.unreferred)*ratio)
	}
}
