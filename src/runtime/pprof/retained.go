// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The retained profile: the dominator tree of the heap graph as a profile. It
// is made in this process: a snapshot (heapgraph.go) is written to memory, and
// debug/heapgraph reads it there. The snapshot and the large arrays of the
// analysis are off the heap, so that they do not make the heap grow. The
// snapshot is freed when the graph has been read, and the arrays are freed when
// the samples have been made.

package pprof

import (
	"debug/heapgraph"
	"errors"
	"fmt"
	format "internal/heapgraph"
	"internal/refpath"
	"io"
	"sync/atomic"
	_ "unsafe" // for linkname
)

// A RetainedProfile writes the dominator tree of the live heap as a profile.
// The stack of an object has its name, and the names of the objects and of the
// root, if any, that retain it. If any one of these were not there, the object
// would be free. Recursion is folded: if an object has the name of an object
// that retains it, it has the stack of that object. Apart from that, the
// cumulative value of a name is the size of all objects that a root or an
// object of that name retains. The zero value is ready to use.
//
// A profile takes one garbage collection, during which the program runs, and
// memory for the analysis. [HeapGraph] writes snapshots, which can be analyzed
// elsewhere and answer more questions.
type RetainedProfile struct {
	// MemoryLimit limits the memory for the analysis, in bytes. If 0, it is
	// 128 MiB, which is enough for some two million objects. Tables of
	// names do not count, and neither do references that wait to be
	// written.
	MemoryLimit int64
}

// ErrRetainedMemory is wrapped by the error of [RetainedProfile.Write] if the
// analysis needs more memory than the limit, or than the system has.
var ErrRetainedMemory = errors.New("runtime/pprof: retained sizes take too much memory")

// Write writes the profile to w, compressed. If the analysis needs more memory
// than the limit, Write returns an error that wraps [ErrRetainedMemory]. If the
// estimated number of objects already shows this, Write returns the error
// without a collection. While another profile of this kind or a snapshot is
// being made, Write returns [ErrHeapGraphBusy].
func (p *RetainedProfile) Write(w io.Writer) error {
	limit := int64(retainedLimit)
	if p.MemoryLimit > 0 {
		limit = p.MemoryLimit
	}
	if objects := pprof_liveObjects(); objects > limit/retainedPerObject {
		return retainedError(limit, fmt.Sprintf("about %d bytes for about %d objects", objects*retainedPerObject, objects))
	}
	if !retainedBusy.CompareAndSwap(false, true) {
		return ErrHeapGraphBusy
	}
	defer retainedBusy.Store(false)
	defer pprof_setRecording(pprof_setRecording(true))
	r, err := takeRetained(limit)
	if errors.Is(err, format.ErrMemory) {
		return retainedError(limit, "more than expected, or more than the system has")
	}
	if err != nil {
		return err
	}
	return r.write(w)
}

const (
	retainedLimit = 128 << 20

	// retainedPerObject is the estimated number of bytes that the analysis
	// takes for an object with two references, including its share of a
	// span. During the analysis, debug/heapgraph counts the bytes exactly.
	retainedPerObject = 60
)

// retainedBusy is true while a retained profile is being made.
var retainedBusy atomic.Bool

func retainedError(limit int64, need string) error {
	return fmt.Errorf("%w: %s, and the limit is %d: set memory=BYTES in the URL, or RetainedProfile.MemoryLimit, or take a heap graph, for go tool heapgraph",
		ErrRetainedMemory, need, limit)
}

// A retained is a profile that is to be written. It does not refer to the
// memory of the analysis.
type retained struct {
	samples  []heapgraph.Sample
	comments []string
}

// takeRetained takes a snapshot and analyzes it. When the graph is complete,
// the file is freed. References that wait for the writer of the file have a
// limit of their own, which is at least half of retainedLimit, for two reasons:
// each P that marks takes up to three chunks of the log, however few references
// it finds, and missing references would make the profile wrong.
func takeRetained(limit int64) (*retained, error) {
	var file, arrays heapGraphMemory
	defer file.free()
	defer arrays.free()
	m := &format.Memory{Most: limit, Alloc: file.tryAlloc, Arrays: arrays.alloc, Has: arrays.has}
	if _, err := (&HeapGraph{MemoryLimit: max(limit/2, retainedLimit/2)}).Write(m); err != nil {
		return nil, err
	}
	f, err := heapgraph.NewFile(m, m.Size())
	if err != nil {
		return nil, err
	}
	g, err := f.Graph(nil)
	if err != nil {
		return nil, err
	}
	file.free()
	d := g.Dominators()
	return &retained{d.Samples(), retainedComments(d, &g.Meta)}, nil
}

// retainedComments returns the comments. As in refs profiles, each line names
// the GC cycle.
func retainedComments(d *heapgraph.Dominators, m *heapgraph.Meta) []string {
	cycle := fmt.Sprintf("GC cycle %d: ", m.Cycle)
	live, reach := d.Live(), d.Reach()
	comments := []string{
		cycle + fmt.Sprintf("%d bytes live in %d objects", live.Bytes, live.Objects),
		cycle + fmt.Sprintf("reached only from roots of the second class: %d bytes; not reached: %d bytes", reach.Second.Bytes, d.Unreached().Bytes),
	}
	if m.Truncated != "" {
		comments = append(comments, cycle+fmt.Sprintf("%d references are missing for want of memory, and %s", m.Dropped, retainedTrust(m)))
	}
	return comments
}

// retainedTrust returns the meaning of retained sizes in a truncated snapshot.
func retainedTrust(m *heapgraph.Meta) string {
	if m.Truncated == "claims" {
		return "retained sizes cannot be relied on, because objects are missing, too"
	}
	return "retained sizes are upper bounds"
}

// write writes the profile. The names become elements of paths, as in refs
// profiles.
func (r *retained) write(w io.Writer) error {
	b := newProtoProfile(w, protoHeader{
		sampleTypes: []protoType{{"live_objects", "count"}, {"live_space", "bytes"}},
		defaultType: "live_space",
		doc:         "RetainedProfile",
		comments:    r.comments,
	})
	b.start = realTime()
	names := newNumbering[string](0)
	for _, s := range r.samples {
		for _, name := range s.Stack {
			names.number(name)
		}
	}
	elems := make([]refpath.Elem, len(names.all))
	for i, name := range names.all {
		elems[i].Name = name
	}
	locs := b.elemLocations(elems)
	var path []uint64
	for _, s := range r.samples {
		path = path[:0]
		for _, name := range s.Stack {
			path = append(path, locs[names.number(name)]...)
		}
		b.pbSample([]int64{s.Objects, s.Bytes}, path, nil)
	}
	return b.build()
}

// pprof_liveObjects is defined in runtime/heapobjects.go.
//
//go:linkname pprof_liveObjects runtime.pprof_liveObjects
func pprof_liveObjects() int64
