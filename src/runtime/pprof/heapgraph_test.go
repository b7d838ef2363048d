// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pprof_test

import (
	"bytes"
	"debug/heapgraph"
	"errors"
	"io"
	"runtime"
	. "runtime/pprof"
	"strings"
	"sync"
	"testing"
	"unsafe"
	"weak"
)

// takeGraph writes a snapshot and reads it.
func takeGraph(t *testing.T, g *HeapGraph) (*heapgraph.Graph, HeapGraphStats) {
	t.Helper()
	var buf bytes.Buffer
	stats, err := g.Write(&buf)
	if err != nil {
		t.Fatal(err)
	}
	if stats.FileSize != int64(buf.Len()) {
		t.Errorf("FileSize is %d, want %d", stats.FileSize, buf.Len())
	}
	f, err := heapgraph.NewFile(bytes.NewReader(buf.Bytes()), int64(buf.Len()))
	if err != nil {
		t.Fatal(err)
	}
	graph, err := f.Graph(nil)
	if err != nil {
		t.Fatal(err)
	}
	return graph, stats
}

// The types of a small graph: a holder has a list, a map, a closure, a buffered
// channel, an interface, and a buffer with a pointer into it. It shares an
// object with another holder.
type (
	graphHolder struct {
		list   *graphNode
		byName map[string]*graphLeaf
		call   func() int
		queue  chan *graphLeaf
		any    any
		inner  *[16]byte // into the middle of buffer
		buffer *[256]byte
		shared *graphShared
	}
	graphNode   struct{ next, prev *graphNode }
	graphLeaf   struct{ bytes [48]byte }
	graphBoxed  struct{ p *[1024]byte }
	graphShared struct{ bytes [512]byte }
)

var graphFirst, graphSecond *graphHolder

//go:noinline
func newGraphHolder() *graphHolder {
	h := &graphHolder{byName: make(map[string]*graphLeaf), queue: make(chan *graphLeaf, 8)}
	for range 100 {
		h.list = &graphNode{next: h.list}
		if h.list.next != nil {
			h.list.next.prev = h.list
		}
	}
	for _, name := range []string{"a", "b", "c"} {
		h.byName[name] = new(graphLeaf)
	}
	captured := new([64]int)
	h.call = func() int { return captured[0] }
	h.queue <- new(graphLeaf)
	h.any = graphBoxed{new([1024]byte)}
	h.buffer = new([256]byte)
	h.inner = (*[16]byte)(h.buffer[32:])
	h.shared = new(graphShared)
	return h
}

// TestHeapGraphRetained compares the retained size of a variable with the sizes
// of the objects that only this variable holds. An object to which another
// variable also refers must not be part of the retained size. The test logs by
// how much the live heap shrinks when the variable is set to nil.
func TestHeapGraphRetained(t *testing.T) {
	graphFirst = newGraphHolder()
	graphSecond = &graphHolder{shared: graphFirst.shared}
	defer func() { graphFirst, graphSecond = nil, nil }()
	g, stats := takeGraph(t, new(HeapGraph))
	d := g.Dominators()
	for v := range g.NumVertices() {
		v := heapgraph.Vertex(v)
		if g.Kind(v) != heapgraph.KindRoot || !strings.HasSuffix(g.Name(v), "pprof_test.graphFirst") {
			continue
		}
		var want int64
		h := graphFirst
		for n := h.list; n != nil; n = n.next {
			want += int64(unsafe.Sizeof(*n))
		}
		want += 4 * 48           // leaves
		want += 512 + 1024 + 256 // the objects that the closure and the interface refer to, and the buffer
		want += int64(unsafe.Sizeof(*h))
		got := d.Retained(v).Bytes
		if got < want || got > want+2000 { // got also includes the map, the channel, the closure and the interface's box
			t.Errorf("%s retains %d bytes, want %d and those of a map, a channel, a closure and a box", g.Name(v), got, want)
		}
		graphFirst = nil
		_, after := takeGraph(t, new(HeapGraph))
		t.Logf("retained %d bytes in %d objects; the live heap went from %d to %d", got, d.Retained(v).Objects, stats.Bytes, after.Bytes)
		return
	}
	t.Error("no vertex of the variable")
}

// TestHeapGraphTotals checks the totals of a snapshot.
func TestHeapGraphTotals(t *testing.T) {
	g, stats := takeGraph(t, new(HeapGraph))
	if g.Live.Bytes != stats.Bytes || g.Live.Objects != stats.Objects {
		t.Errorf("the file has %v, want %d bytes in %d objects", g.Live, stats.Bytes, stats.Objects)
	}
	if stats.Dropped != 0 || stats.References == 0 {
		t.Errorf("%+v", stats)
	}
}

// TestHeapGraphFails checks that the error of a writer that fails at any time
// is returned, and that another snapshot can be taken afterwards.
func TestHeapGraphFails(t *testing.T) {
	full := errors.New("disk full")
	next := func(n int) int { return 1 + n + n/2 }
	if testing.Short() {
		next = func(n int) int { return 1 + 4*n }
	}
	for n := 0; ; n = next(n) {
		_, err := new(HeapGraph).Write(&limitedWriter{n, full})
		if err == nil {
			break
		}
		if !errors.Is(err, full) {
			t.Fatalf("after %d bytes: %v", n, err)
		}
	}
}

// A limitedWriter fails after n bytes.
type limitedWriter struct {
	n   int
	err error
}

func (w *limitedWriter) Write(p []byte) (int, error) {
	if w.n -= len(p); w.n < 0 {
		return 0, w.err
	}
	return len(p), nil
}

// TestHeapGraphBusy checks that a second snapshot is refused at once.
func TestHeapGraphBusy(t *testing.T) {
	r, w := io.Pipe()
	var wg sync.WaitGroup
	wg.Go(func() { new(HeapGraph).Write(w) })
	r.Read(make([]byte, 1))
	if _, err := new(HeapGraph).Write(io.Discard); err != ErrHeapGraphBusy {
		t.Errorf("error is %v", err)
	}
	r.Close()
	wg.Wait()
}

// TestHeapGraphSlow checks that a collection does not wait for a writer that
// blocks, and that a snapshot reports references for which there was no room.
func TestHeapGraphSlow(t *testing.T) {
	var keep [][]*int
	for range 1000 {
		s := make([]*int, 1000)
		p := new(int)
		for i := range s {
			s[i] = p
		}
		keep = append(keep, s)
	}
	r, w := io.Pipe()
	var wg sync.WaitGroup
	var stats HeapGraphStats
	wg.Go(func() {
		var err error
		stats, err = (&HeapGraph{MemoryLimit: 1 << 20}).Write(w)
		if err != nil {
			t.Error(err)
		}
		w.Close()
	})
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	for {
		runtime.GC()
		var after runtime.MemStats
		runtime.ReadMemStats(&after)
		if after.NumGC >= before.NumGC+2 {
			break
		}
	}
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	f, err := heapgraph.NewFile(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	if (stats.Dropped == 0) != (f.Truncated == "") || stats.Dropped == 0 {
		t.Errorf("%d references dropped, truncated is %q", stats.Dropped, f.Truncated)
	}
	runtime.KeepAlive(keep)
}

// TestHeapGraphDeadSpecials checks a snapshot with finalizers, cleanups and
// weak pointers of objects that are dead, some of which have references.
func TestHeapGraphDeadSpecials(t *testing.T) {
	type dead struct {
		p *[1000]byte
		n [100]int
	}
	var weaks []weak.Pointer[dead]
	for range 300 {
		x, y, z := &dead{p: new([1000]byte)}, &dead{p: new([1000]byte)}, &dead{p: new([1000]byte)}
		runtime.SetFinalizer(x, func(*dead) {})
		runtime.AddCleanup(y, func(*[1000]byte) {}, new([1000]byte))
		weaks = append(weaks, weak.Make(z))
	}
	g, stats := takeGraph(t, new(HeapGraph))
	reach := g.Dominators().Reach()
	if sum := reach.First.Bytes + reach.Second.Bytes + reach.Not.Bytes; sum > stats.Bytes || sum+g.Allocated.Bytes < stats.Bytes {
		t.Errorf("vertices have %d bytes, and new objects %d, want %d in all", sum, g.Allocated.Bytes, stats.Bytes)
	}
	runtime.KeepAlive(weaks)
}

// TestHeapGraphWriterEnds checks that a writer that panics, or ends its
// goroutine, ends Write, and that another snapshot can be taken.
func TestHeapGraphWriterEnds(t *testing.T) {
	func() {
		defer func() {
			if v := recover(); v != "disk gone" {
				t.Errorf("Write panicked with %v", v)
			}
		}()
		new(HeapGraph).Write(writerFunc(func() { panic("disk gone") }))
	}()
	if _, err := new(HeapGraph).Write(writerFunc(runtime.Goexit)); err == nil {
		t.Error("no error after a writer has ended its goroutine")
	}
	takeGraph(t, new(HeapGraph))
}

// A writerFunc is a writer that calls a function.
type writerFunc func()

func (f writerFunc) Write(p []byte) (int, error) {
	f()
	return len(p), nil
}
