// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package heapgraph_test

import (
	"bufio"
	. "debug/heapgraph"
	"flag"
	format "internal/heapgraph"
	"os"
	"path/filepath"
	"testing"
	"time"
)

var (
	benchObjects = flag.Int("objects", 1e6, "number of objects of the graph that BenchmarkRead reads")
	benchFile    = flag.String("graph", "", "file of the graph that BenchmarkRead reads: if it does not exist, it is written")
)

// A largeHeap is a heap of n objects. Each object is computed from its number,
// so that the heap needs no memory. The objects are in blocks of 64, which form
// a binary tree. Each block has a head, a list of 31 entries, and 32 values.
// The head refers to the heads of two other blocks, to the first entry and to a
// value. Each entry refers to the next entry and to a value. Each entry also
// refers to some other object, and so do seven of eight values. Together there
// are about two references for each object.
type largeHeap struct{ n int }

const blockLen = 64

// largeSizes are the sizes of slots, in words. Each span has one page; the
// spans have these sizes in turns.
var largeSizes = [...]int{4, 6, 8, 12, 16, 32}

const (
	pageWords  = 1024
	turnPages  = len(largeSizes)
	turnSlots  = 256 + 170 + 128 + 85 + 64 + 32
	largeNodes = 1000
)

// addr returns the address of object i.
func (h *largeHeap) addr(i int) uint64 {
	turn, i := i/turnSlots, i%turnSlots
	for page, size := range largeSizes {
		slots := pageWords / size
		if i < slots {
			return uint64((turn*turnPages+page)*pageWords + i*size)
		}
		i -= slots
	}
	panic("no such object")
}

// hash returns a number that looks random.
func hash(i int) int {
	x := uint64(i) * 0x9e3779b97f4a7c15
	x ^= x >> 29
	x *= 0xbf58476d1ce4e5b9
	return int(x >> 33)
}

// refs appends the references of object i to batch.
func (h *largeHeap) refs(i int, batch []format.Pair) []format.Pair {
	word := h.addr(i)
	add := func(target int) {
		if target < h.n {
			batch = append(batch, format.Pair{Addr: word, Value: h.addr(target)})
		}
		word++
	}
	block, k := i/blockLen, i%blockLen
	head := block * blockLen
	switch {
	case k == 0:
		add((2*block + 1) * blockLen)
		add((2*block + 2) * blockLen)
		add(head + 1)
		add(head + 32)
	case k < 32:
		add(head + k%31 + 1)
		add(head + k + 32)
		if hash(i)%4 == 0 {
			add(hash(i+1) % h.n)
		} else {
			add(head + hash(i)%(64*blockLen))
		}
	case k%8 != 0:
		add(head + hash(i)%(16*blockLen))
	}
	return batch
}

// write writes the file of the heap.
func (h *largeHeap) write(w *format.Writer) error {
	s := new(snapshot)
	root := s.root(format.FirstClass, "main.tree")
	var nodes []uint64
	for i := range largeNodes {
		name := "main.T" + itoa(i)
		typ := s.typ(name, 32, format.Field{Name: s.str("next")}, format.Field{Offset: 8, Name: s.str("value")})
		nodes = append(nodes, s.node(root, "main.tree "+name, name, typ))
	}
	w.Meta("pointer.size", "8")
	for _, text := range s.strings {
		w.String(text)
	}
	for i := range s.types {
		w.Type(&s.types[i])
	}
	for i := range s.nodes {
		w.Node(&s.nodes[i])
	}
	for page := range (h.n/turnSlots + 1) * turnPages {
		size := largeSizes[page%turnPages]
		w.Span(&format.Span{Start: uint64(page * pageWords), Slots: uint64(pageWords / size), SlotSize: uint64(size)})
	}
	w.RootRef(format.RootRef{Node: root, Target: h.addr(0)})
	w.Special(format.Special{Object: h.addr(1), Node: root, Target: h.addr(2)})
	var refs, claims []format.Pair
	flush := func(least int) {
		if len(refs) > least {
			w.Refs(refs)
			refs = refs[:0]
		}
		if len(claims) > least {
			w.Claims(claims)
			claims = claims[:0]
		}
	}
	// The blocks of a batch are not next to each other.
	blocks := (h.n + blockLen - 1) / blockLen
	const apart = 1024
	for first := range apart {
		for b := first; b < blocks; b += apart {
			for i := b * blockLen; i < min(h.n, (b+1)*blockLen); i++ {
				refs = h.refs(i, refs)
				claims = append(claims, format.Pair{Addr: h.addr(i), Value: nodes[hash(i/7)%largeNodes]})
			}
			flush(4000)
		}
	}
	flush(0)
	return w.Close()
}

// benchGraph returns the name of the file that BenchmarkRead reads.
func benchGraph(b *testing.B) string {
	name := *benchFile
	if name == "" {
		name = filepath.Join(b.TempDir(), "graph")
	} else if _, err := os.Stat(name); err == nil {
		return name
	}
	f, err := os.Create(name)
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriter(f)
	h := largeHeap{*benchObjects}
	if err := h.write(format.NewWriter(w)); err != nil {
		b.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	return name
}

// BenchmarkRead reads a graph and computes its dominators and the amount that
// each type retains.
//
//	go test -run=NONE -bench=Read -benchtime=1x -graph=/tmp/graph -objects=20000000 debug/heapgraph
func BenchmarkRead(b *testing.B) {
	name := benchGraph(b)
	for b.Loop() {
		start := time.Now()
		lap := func(unit string) {
			b.ReportMetric(time.Since(start).Seconds(), unit)
			start = time.Now()
		}
		f, err := Open(name)
		if err != nil {
			b.Fatal(err)
		}
		g, err := f.Graph(nil)
		if err != nil {
			b.Fatal(err)
		}
		f.Close()
		lap("read-s")
		d := g.Dominators()
		lap("dominators-s")
		types := d.ByType()
		lap("types-s")
		b.ReportMetric(float64(g.NumVertices()), "vertices")
		b.ReportMetric(float64(g.NumReferences()), "refs")
		b.Logf("%d types, reached %v", len(types), d.Reach())
	}
}
