// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Snapshots of the heap graph. A snapshot is a file with every live object and
// every reference. The runtime logs references while a collection marks
// (runtime/mrefslog.go). HeapGraph.Write takes the log, chunk by chunk, and
// encodes it. When the collection has ended, Write adds the tables to which the
// records of the log refer (heapgraphtables.go).

package pprof

import (
	"errors"
	"fmt"
	"internal/heapgraph"
	"internal/profilerecord"
	"io"
	"math"
	"runtime"
	"strconv"
	"sync/atomic"
	"time"
	"unsafe"
)

// A HeapGraph writes snapshots of the heap graph. A snapshot is a file with
// every live object and every reference to a live object, for debug/heapgraph
// and go tool heapgraph. The zero value is ready to use.
//
// Write runs one garbage collection. It writes the references while the
// collection marks, and the rest of the snapshot after that. The program runs
// during the collection, so the snapshot is not of one moment. A snapshot has
// no contents of objects and no absolute addresses.
type HeapGraph struct {
	// MemoryLimit limits the memory, in bytes, of references that wait for
	// the writer. If 0, it is 64 MiB or a quarter of the heap, whichever is
	// larger. Marking does not wait for the writer. After the limit is
	// reached, a reference in an object is recorded only if marking reaches
	// its target by this reference. The waiting references then take up to
	// twice the limit. After that, no references are recorded.
	MemoryLimit int64

	// Labels includes the labels of goroutines.
	Labels bool
}

// HeapGraphStats describes a snapshot.
type HeapGraphStats struct {
	Objects    int64 // number of objects that the collection marked
	Bytes      int64 // bytes of these objects, as in /gc/heap/live:bytes
	References int64 // number of references in the file
	Dropped    int64 // number of references that are missing, because MemoryLimit was reached or the system had no memory for them
	FileSize   int64 // size of the file in bytes
}

// ErrHeapGraphBusy is the error of [HeapGraph.Write] while another snapshot is
// being written.
var ErrHeapGraphBusy = errors.New("runtime/pprof: another heap graph is being written")

// heapGraphBusy is true while a snapshot is being written.
var heapGraphBusy atomic.Bool

// Write writes a snapshot to w. If w fails, Write waits for the end of the
// collection and returns an error that wraps that of w. The file is then
// incomplete, and readers refuse it.
func (g *HeapGraph) Write(w io.Writer) (HeapGraphStats, error) {
	if !heapGraphBusy.CompareAndSwap(false, true) {
		return HeapGraphStats{}, ErrHeapGraphBusy
	}
	defer heapGraphBusy.Store(false)
	defer pprof_setRecording(pprof_setRecording(true))
	limit := g.memoryLimit()
	var memory heapGraphMemory
	defer memory.free()
	gw := newHeapGraphWriter(w, g.Labels, &memory)
	gw.Queue(int(min(limit/4, math.MaxInt)))
	panicked := make(chan any, 1) // receives the value with which w has panicked, or nil
	go func() {
		defer func() { panicked <- recover() }()
		defer pprof_setRecording(pprof_setRecording(true))
		gw.Run()
	}()
	defer func() {
		gw.Abort() // for the case that an error or a panic ends Write
		if value := <-panicked; value != nil {
			panic(value)
		}
	}()
	h, err := gw.record(limit / 4 * 3)
	if err != nil {
		return HeapGraphStats{}, fmt.Errorf("runtime/pprof: heap graph: %w", err)
	}
	gw.writeTables(h)
	if err := gw.Close(); err != nil {
		return HeapGraphStats{}, fmt.Errorf("runtime/pprof: heap graph: %w", err)
	}
	return HeapGraphStats{
		Objects:    h.Objects,
		Bytes:      int64(h.Refs.Live),
		References: gw.references,
		Dropped:    int64(h.Dropped),
		FileSize:   gw.Size(),
	}, nil
}

// memoryLimit returns the limit that applies, in bytes.
func (g *HeapGraph) memoryLimit() uint64 {
	if g.MemoryLimit > 0 {
		return uint64(g.MemoryLimit)
	}
	return pprof_heapGraphLimit()
}

// heapGraphBatch is the number of records that are sorted and written together.
const heapGraphBatch = 1 << 17

// heapGraphBase is added to all addresses. The log counts addresses in words
// from the start of the arena that was the lowest when the recording began. The
// program may map arenas below it. heapGraphBase makes addresses there
// positive, too.
const heapGraphBase = 1 << 48

// A heapGraphWriter writes a snapshot.
type heapGraphWriter struct {
	*heapgraph.Writer
	labels bool

	references int64
	refs       []heapgraph.Pair // the next batch of each kind
	claims     []heapgraph.Pair

	goroutines heapGraphGoroutines
	lone       map[uint64]profilerecord.RefsGraphSpan // spans of one object each, by address
}

func newHeapGraphWriter(w io.Writer, labels bool, memory *heapGraphMemory) *heapGraphWriter {
	gw := &heapGraphWriter{
		Writer:     heapgraph.NewWriter(w),
		labels:     labels,
		goroutines: heapGraphGoroutines{numbers: make(map[uint64]uint64)},
		lone:       make(map[uint64]profilerecord.RefsGraphSpan),
	}
	gw.Alloc(memory.alloc)
	gw.refs = gw.Pairs(heapGraphBatch)[:0]
	gw.claims = gw.Pairs(heapGraphBatch)[:0]
	return gw
}

// A heapGraphRecording is the result of a recording.
type heapGraphRecording struct {
	graph  *profilerecord.RefsGraph
	failed string
}

// record starts a goroutine that records references. While that goroutine runs,
// record writes the log. Only the pauses of record are outside a synctest
// bubble, because the output may be the bubble's, and may need its clock.
func (gw *heapGraphWriter) record(limit uint64) (*profilerecord.RefsGraph, error) {
	gw.writeHeader()
	var ended <-chan heapGraphRecording
	outsideBubble(func() { ended = startHeapGraph(limit) })
	defer pprof_heapGraphEnd()
	for {
		select {
		case r := <-ended:
			for gw.writeChunk() {
			}
			if r.failed != "" {
				return nil, errors.New(r.failed)
			}
			return r.graph, nil
		default:
			if !gw.writeChunk() {
				outsideBubble(func() { time.Sleep(heapGraphPoll) })
			}
		}
	}
}

// startHeapGraph starts a goroutine that records references, and returns the
// channel that gets the result.
func startHeapGraph(limit uint64) <-chan heapGraphRecording {
	ended := make(chan heapGraphRecording, 1)
	go func() {
		defer pprof_setRecording(pprof_setRecording(true))
		h, failed := pprof_heapGraph(limit)
		ended <- heapGraphRecording{h, failed}
	}()
	return ended
}

// heapGraphPoll is how long record waits before it looks at an empty log again.
const heapGraphPoll = 200 * time.Microsecond

// writeChunk takes a chunk of the log and, unless the Writer has failed, writes
// its records. It reports whether there was a chunk.
func (gw *heapGraphWriter) writeChunk() bool {
	kind, records, chunk := pprof_heapGraphNext()
	if chunk == nil {
		return false
	}
	switch {
	case gw.Err() != nil:
	case kind == profilerecord.RefsLogReference:
		gw.writeReferences(records)
	case kind == profilerecord.RefsLogClaim:
		gw.writeClaims(records)
	default:
		for ; len(records) > 0; records = records[4:] {
			gw.writeOther((*[4]uint64)(records))
		}
	}
	pprof_heapGraphDone(chunk)
	return true
}

// writeReferences writes records of kind RefsLogReference.
func (gw *heapGraphWriter) writeReferences(records []uint64) {
	for len(records) > 0 {
		var slot, target uint64
		slot, target, records = profilerecord.RefsLogPair(records)
		gw.refs = append(gw.refs, heapgraph.Pair{Addr: slot + heapGraphBase, Value: target + heapGraphBase})
		if len(gw.refs) == cap(gw.refs) {
			gw.flushReferences()
		}
	}
}

func (gw *heapGraphWriter) flushReferences() {
	gw.references += int64(len(gw.refs))
	gw.Refs(gw.refs)
	gw.refs = gw.refs[:0]
}

// writeClaims writes records of kind RefsLogClaim.
func (gw *heapGraphWriter) writeClaims(records []uint64) {
	for len(records) > 0 {
		var object, node uint64
		object, node, records = profilerecord.RefsLogPair(records)
		gw.claims = append(gw.claims, heapgraph.Pair{Addr: object + heapGraphBase, Value: node})
		if len(gw.claims) == cap(gw.claims) {
			gw.flushClaims()
		}
	}
}

func (gw *heapGraphWriter) flushClaims() {
	gw.Claims(gw.claims)
	gw.claims = gw.claims[:0]
}

// writeOther writes the reference in a record of kind RefsLogOther. If the
// record describes a span or a goroutine instead, writeOther keeps it for
// writeTables.
func (gw *heapGraphWriter) writeOther(r *[4]uint64) {
	switch profilerecord.RefsLogKind(r[0]) {
	case profilerecord.RefsLogRoot:
		gw.references++
		gw.RootRef(heapgraph.RootRef{Goroutine: gw.goroutines.at(r[1], r[2]), Node: r[2], Target: r[3] + heapGraphBase})
	case profilerecord.RefsLogSpecial:
		gw.references++
		gw.Special(heapgraph.Special{Object: r[1] + heapGraphBase, Node: r[2], Target: r[3] + heapGraphBase})
	case profilerecord.RefsLogOwned:
		if r[1] != r[3] { // or else RefsLogRoot has the reference, if there is one
			gw.references++
			gw.RootRef(heapgraph.RootRef{Node: r[2], Target: r[3] + heapGraphBase})
		}
		gw.Owner(heapgraph.Special{Object: r[1] + heapGraphBase, Node: r[2], Target: r[3] + heapGraphBase})
	case profilerecord.RefsLogLone:
		gw.lone[r[1]] = profilerecord.RefsGraphSpan{Base: r[1], Slots: 1, Size: r[2], Header: uint32(r[3])}
	case profilerecord.RefsLogGoroutine:
		gw.goroutines.add(r[1], r[2], r[3])
	case profilerecord.RefsLogWait:
		gw.goroutines.waits(r[1], r[2], r[3] != 0)
	}
}

const ptrSize = uint64(unsafe.Sizeof(uintptr(0)))

// writeHeader writes the metadata that is known before the recording.
func (gw *heapGraphWriter) writeHeader() {
	gw.Meta("go.version", runtime.Version())
	gw.Meta("go.os", runtime.GOOS)
	gw.Meta("go.arch", runtime.GOARCH)
	gw.Meta("pointer.size", strconv.Itoa(int(ptrSize)))
	gw.Meta("time", realTime().Format(time.RFC3339Nano))
}

// The functions are defined in runtime/mrefsgraph.go.
//
//go:linkname pprof_heapGraph runtime.pprof_heapGraph
func pprof_heapGraph(most uint64) (h *profilerecord.RefsGraph, failed string)

//go:linkname pprof_heapGraphNext runtime.pprof_heapGraphNext
func pprof_heapGraphNext() (kind profilerecord.RefsLogKind, records []uint64, chunk unsafe.Pointer)

//go:linkname pprof_heapGraphDone runtime.pprof_heapGraphDone
func pprof_heapGraphDone(chunk unsafe.Pointer)

//go:linkname pprof_heapGraphEnd runtime.pprof_heapGraphEnd
func pprof_heapGraphEnd()

//go:linkname pprof_heapGraphLimit runtime.pprof_heapGraphLimit
func pprof_heapGraphLimit() uint64

//go:linkname pprof_waitReason runtime.pprof_waitReason
func pprof_waitReason(reason uint64) string
