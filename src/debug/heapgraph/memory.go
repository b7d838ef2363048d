// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file lets runtime/pprof read the graph of its own process: with the file
// and the large arrays in memory off the heap, within a limit, and without
// taking all processors. The memory is freed when the samples of the profile
// have been made, so they must not refer to it.

package heapgraph

import (
	format "internal/heapgraph"
	"io"
	"runtime"
	"unsafe"
)

// memoryOf returns r if it is a file in memory, and nil otherwise.
func memoryOf(r io.ReaderAt) *format.Memory {
	m, _ := r.(*format.Memory)
	return m
}

// array returns n zero values, which are on the heap if m is nil.
func array[T uint32 | int64 | cell](m *format.Memory, n int) []T {
	if m == nil || n == 0 {
		return make([]T, n)
	}
	var x T
	b := m.Arrays(n * int(unsafe.Sizeof(x)))
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)
}

// numbers returns an array of numbers for the dominator tree.
func (g *Graph) numbers(n int) []uint32 { return array[uint32](g.memory, n) }

// fits reports whether the limit allows a graph with the given number of
// references, first together with the file and then with the dominator tree. It
// also checks that the system has memory for the graph and the tree. It is
// called with 0 before the arrays with an element for each object or vertex are
// made, and with the number of references before the array of references is
// made. The memory of the file is freed before the tree is computed.
func (b *builder) fits(references uint64) bool {
	m := b.f.memory
	if m == nil {
		return b.fitsFile(references, b.repeated+uint64(len(b.specials)))
	}
	g := b.g
	n := uint64(g.end)
	graph := 8*n + 4*references
	graph += uint64(len(g.spans))*uint64(unsafe.Sizeof(span{})) + uint64(len(g.cells))*uint64(unsafe.Sizeof(cell{}))
	for i := range g.spans {
		if p := g.spans[i].words.Load(); p != nil {
			graph += uint64(len(*p)) * 8
		}
	}
	graph += listBytes(b.long, b.rootRefs, b.specials, b.owners)
	tree := 32*n + 8*max(references, n) - 8*n
	return graph+max(tree, uint64(m.Size())) <= uint64(m.Most) && m.Has(int(graph+tree))
}

// listBytes returns the largest number of bytes that the lists of references in
// long spans, of roots, of specials and of owners take while the sections are decoded. It
// counts each element three times, because a full list and a longer copy of it
// exist at the same time.
func listBytes(long []format.Pair, rootRefs []rawRootRef, specials, owners []format.Special) uint64 {
	return 3 * uint64(int64(len(long))*size[format.Pair]()+int64(len(rootRefs))*size[rawRootRef]()+int64(len(specials)+len(owners))*size[format.Special]())
}

// listsFit reports whether the limit allows the lists that all workers have so
// far, with the tables or with the file in memory. The lists are on the heap.
// Without this check, the lists for a heap with very long slices of pointers
// would take many times the limit before fits refuses the graph.
func (w *worker) listsFit() bool {
	n := listBytes(w.long, w.rootRefs, w.specials, w.owners)
	all := w.b.lists.Add(n - w.lists)
	w.lists = n
	if m := w.b.f.memory; m != nil {
		return all+uint64(m.Size()) <= uint64(m.Most)
	}
	return int64(all)+w.b.f.tables.bytes <= w.b.most
}

// workers returns the number of goroutines that decode sections.
func (f *File) workers(sections int) int {
	n := runtime.GOMAXPROCS(0)
	if f.memory != nil {
		n /= 4
	}
	return max(1, min(n, sections))
}
