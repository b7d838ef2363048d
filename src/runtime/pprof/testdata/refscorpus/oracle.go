// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The oracle: a tracer that shares no code with the recorder. It reads the dump
// of the stopped heap that runtime/debug.WriteHeapDump makes, which has the
// contents and the pointer maps of all objects and of the data and bss
// segments. It follows the pointers from the variables of one shape at a time,
// or from all other variables.

package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"
	"os"
	"runtime/debug"
	"slices"
	"sort"
)

// The tags of the dump's records up to the segments, and other numbers of its
// format.
const (
	dumpObject    = 1
	dumpType      = 3
	dumpGoroutine = 4
	dumpFrame     = 5
	dumpParams    = 6
	dumpItab      = 8
	dumpThread    = 9
	dumpData      = 12
	dumpBSS       = 13
	dumpDefer     = 14
	dumpPanic     = 15
	dumpHeader    = "go1.7 heap dump\n"
	dumpFieldEnd  = 0
	pointerBytes  = bits.UintSize / 8
)

// A memory is an object or a segment. slots are the places of its pointers that
// are not nil, with their targets.
type memory struct {
	addr, size uint64
	slots      []slot
}

type slot struct{ offset, target uint64 }

type heap struct {
	objects  []memory // sorted by address
	segments []memory
}

// A total is a number of objects and their bytes.
type total struct{ objects, bytes int64 }

func (t *total) add(objects, bytes int64) { t.objects += objects; t.bytes += bytes }

// dumpReader reads the dump's numbers and strings.
type dumpReader struct{ *bufio.Reader }

func (r dumpReader) number() uint64 {
	v, err := binary.ReadUvarint(r)
	check(err)
	return v
}

func (r dumpReader) numbers(n int) {
	for range n {
		r.number()
	}
}

func (r dumpReader) data() []byte {
	b := make([]byte, r.number())
	_, err := io.ReadFull(r, b)
	check(err)
	return b
}

func (r dumpReader) fields(visit func(offset uint64)) {
	for r.number() != dumpFieldEnd {
		visit(r.number())
	}
}

func (r dumpReader) memory() memory {
	m := memory{addr: r.number()}
	contents := r.data()
	m.size = uint64(len(contents))
	r.fields(func(offset uint64) {
		word := make([]byte, 8)
		copy(word, contents[offset:offset+pointerBytes])
		if target := binary.LittleEndian.Uint64(word); target != 0 {
			m.slots = append(m.slots, slot{offset, target})
		}
	})
	return m
}

// dumpHeap returns the heap as it is now.
func dumpHeap() *heap {
	f, err := os.CreateTemp("", "refs")
	check(err)
	defer os.Remove(f.Name())
	defer f.Close()
	debug.WriteHeapDump(f.Fd())
	_, err = f.Seek(0, io.SeekStart)
	check(err)
	return readDump(dumpReader{bufio.NewReaderSize(f, 1<<20)})
}

func readDump(r dumpReader) *heap {
	header := make([]byte, len(dumpHeader))
	_, err := io.ReadFull(r, header)
	check(err)
	if string(header) != dumpHeader {
		panic(fmt.Sprintf("heap dump begins with %q", header))
	}
	h := new(heap)
	for len(h.segments) < 2 {
		h.record(r)
	}
	slices.SortFunc(h.objects, func(a, b memory) int {
		if a.addr < b.addr {
			return -1
		}
		return 1
	})
	return h
}

func (h *heap) record(r dumpReader) {
	switch tag := r.number(); tag {
	case dumpObject:
		h.objects = append(h.objects, r.memory())
	case dumpData, dumpBSS:
		h.segments = append(h.segments, r.memory())
	case dumpType:
		r.numbers(2)
		r.data()
		r.number()
	case dumpGoroutine:
		r.numbers(8)
		r.data()
		r.numbers(4)
	case dumpFrame:
		r.numbers(3)
		r.data()
		r.numbers(3)
		r.data()
		r.fields(func(uint64) {})
	case dumpParams:
		r.numbers(4)
		r.data()
		r.data()
		r.number()
	case dumpItab:
		r.numbers(2)
	case dumpThread:
		r.numbers(3)
	case dumpDefer:
		r.numbers(7)
	case dumpPanic:
		r.numbers(6)
	default:
		panic(fmt.Sprintf("heap dump has a record with tag %d", tag))
	}
}

// find returns the index of the object that an address is in, or -1.
func (h *heap) find(addr uint64) int {
	i := sort.Search(len(h.objects), func(i int) bool { return h.objects[i].addr > addr }) - 1
	if i >= 0 && addr < h.objects[i].addr+h.objects[i].size {
		return i
	}
	return -1
}

// A trace is a walk of the heap. seen has the indices of the objects that it
// has found.
type trace struct {
	*heap
	seen map[int]bool
	todo []int
}

func (t *trace) follow(target uint64) {
	if i := t.find(target); i >= 0 && !t.seen[i] {
		t.seen[i] = true
		t.todo = append(t.todo, i)
	}
}

func (t *trace) drain() {
	for len(t.todo) > 0 {
		i := t.todo[len(t.todo)-1]
		t.todo = t.todo[:len(t.todo)-1]
		for _, s := range t.objects[i].slots {
			t.follow(s.target)
		}
	}
}

// sum returns the sum of the objects that t has found, without those that
// another trace, if it is not nil, has found.
func (t *trace) sum(other *trace) (sum total) {
	for i := range t.seen {
		if other == nil || !other.seen[i] {
			sum.add(1, int64(t.objects[i].size))
		}
	}
	return sum
}

// reach returns a trace of the objects that can be reached from some variables.
func (h *heap) reach(roots []variable) *trace {
	t := &trace{heap: h, seen: map[int]bool{}}
	for _, v := range roots {
		h.pointers(v, t.follow)
	}
	t.drain()
	return t
}

// reachOthers returns a trace of the objects that can be reached from all other
// variables.
func (h *heap) reachOthers(roots []variable) *trace {
	t := &trace{heap: h, seen: map[int]bool{}}
	for _, m := range h.segments {
		for _, s := range m.slots {
			at := m.addr + s.offset
			if !slices.ContainsFunc(roots, func(v variable) bool { return at >= v.addr && at < v.addr+v.size }) {
				t.follow(s.target)
			}
		}
	}
	t.drain()
	return t
}

// pointers calls follow for each pointer in a variable.
func (h *heap) pointers(v variable, follow func(uint64)) {
	for _, m := range h.segments {
		if v.addr < m.addr || v.addr >= m.addr+m.size {
			continue
		}
		for _, s := range m.slots {
			if at := m.addr + s.offset; at >= v.addr && at < v.addr+v.size {
				follow(s.target)
			}
		}
		return
	}
	panic(v.name + " is in no segment")
}
