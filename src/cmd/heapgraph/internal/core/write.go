// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file writes the heap graph, as runtime/pprof does in a program that runs
// (runtime/pprof/heapgraph.go, heapgraphtables.go).

package core

import (
	"fmt"
	"internal/heapgraph"
	"internal/profilerecord"
	"internal/refpath"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"unsafe"
)

// Stats describes the heap graph that Write has written.
type Stats struct {
	Objects    int64
	Bytes      int64
	References int64

	// Damaged is the number of spans that were not read because they
	// contradict others or themselves, or because their memory is not in
	// the core file.
	Damaged int64

	// Modules is the number of plugins whose functions are not known,
	// because their files are missing, cannot be read, or have been
	// replaced.
	Modules int64

	// Lost is the number of goroutines that were running although no thread
	// of the core file runs them. Cut is the number of the other goroutines
	// whose stacks could not be followed to their ends or are too deep. The
	// unread parts of all these stacks are searched for words that may be
	// pointers.
	Lost, Cut int64

	// Variables reports whether the program has the linker's table of its
	// global variables. Programs that cannot make a heap graph themselves
	// do not have it. In the graph of such a program, few types are known,
	// and global variables have only the names in the symbol table.
	Variables bool
}

// Write writes the heap graph of the process of a core file to w. executable
// and core are names of files. If labels is set, the graph has the labels of
// goroutines.
func Write(w io.Writer, executable, core string, labels bool) (Stats, error) {
	if unsafe.Sizeof(uintptr(0)) != wordSize || !isLittleEndian() {
		return Stats{}, fmt.Errorf("core files can be read only on machines with 64 bits and little-endian byte order, such as amd64 and arm64")
	}
	exe, err := openFile(executable)
	if err != nil {
		return Stats{}, err
	}
	defer exe.close()
	file, err := openFile(core)
	if err != nil {
		return Stats{}, err
	}
	defer file.close()
	return writeGuarded(w, exe, file, labels)
}

// write is Write for files that are open.
func write(w io.Writer, exe, core *file, labels bool) (Stats, error) {
	p, err := newProcess(exe, core)
	if err != nil {
		return Stats{}, err
	}
	defer p.close()
	gw := newWriter(w, p)
	gw.writeHeader(core.name, labels)
	m := &marker{process: p, log: gw, words: make([]uint32, p.heap.slots)}
	m.mark()
	gw.writeTables(m)
	if err := gw.Close(); err != nil {
		return Stats{}, err
	}
	lost, cut := countCut(m.goroutines)
	return Stats{
		Lost:       lost,
		Cut:        cut,
		Objects:    int64(m.objects),
		Bytes:      int64(m.bytes),
		References: gw.references,
		Damaged:    p.damaged.spans,
		Modules:    p.damaged.modules,
		Variables:  p.modules[0].globals,
	}, nil
}

func isLittleEndian() bool {
	n := uint16(1)
	return *(*byte)(unsafe.Pointer(&n)) == 1
}

// addressBase is added to all addresses in the file. Both are numbers of words.
// runtime/pprof adds the same number.
const addressBase = 1 << 48

// batch is the number of records that are sorted and written together.
const batch = 1 << 17

// A writer writes the graph.
type writer struct {
	*heapgraph.Writer
	p      *process
	labels bool

	references   int64
	refs, claims []heapgraph.Pair
	goroutines   []*goroutine // goroutines that have numbers
}

func newWriter(w io.Writer, p *process) *writer {
	gw := &writer{Writer: heapgraph.NewWriter(w), p: p}
	gw.refs, gw.claims = gw.Pairs(batch)[:0], gw.Pairs(batch)[:0]
	return gw
}

// address returns an address as the file has it.
func (gw *writer) address(p uint64) uint64 {
	return uint64(int64(p-gw.p.heap.base)/wordSize) + addressBase
}

func (gw *writer) reference(at, target uint64) {
	gw.refs = append(gw.refs, heapgraph.Pair{Addr: gw.address(at), Value: gw.address(target)})
	if len(gw.refs) == cap(gw.refs) {
		gw.flushRefs()
	}
}

func (gw *writer) flushRefs() {
	gw.references += int64(len(gw.refs))
	gw.Refs(gw.refs)
	gw.refs = gw.refs[:0]
}

func (gw *writer) claim(object uint64, node uint32) {
	gw.claims = append(gw.claims, heapgraph.Pair{Addr: gw.address(object), Value: uint64(node)})
	if len(gw.claims) == cap(gw.claims) {
		gw.flushClaims()
	}
}

func (gw *writer) flushClaims() {
	gw.Claims(gw.claims)
	gw.claims = gw.claims[:0]
}

func (gw *writer) root(g *goroutine, node uint32, target uint64) {
	gw.references++
	r := heapgraph.RootRef{Node: uint64(node), Target: gw.address(target)}
	if g != nil {
		if g.number == 0 {
			gw.goroutines = append(gw.goroutines, g)
			g.number = uint64(len(gw.goroutines))
		}
		g.place = node
		r.Goroutine = g.number
	}
	gw.RootRef(r)
}

func (gw *writer) special(object uint64, node uint32, target uint64) {
	gw.references++
	gw.Special(heapgraph.Special{Object: gw.address(object), Node: uint64(node), Target: gw.address(target)})
}

// owned writes a reference from a node that an object has in the word at an
// address, or in its special.
func (gw *writer) owned(at uint64, node uint32, target uint64) {
	gw.root(nil, node, target)
	gw.Owner(heapgraph.Special{Object: gw.address(at), Node: uint64(node), Target: gw.address(target)})
}

// finalized writes that an object has a finalizer.
func (gw *writer) finalized(object uint64, node uint32) {
	gw.Owner(heapgraph.Special{Object: gw.address(object), Node: uint64(node), Target: gw.address(object)})
}

// writeHeader writes the metadata that is known before marking.
func (gw *writer) writeHeader(core string, labels bool) {
	gw.labels = labels
	gw.Meta("go.version", gw.p.version)
	gw.Meta("go.os", "linux")
	gw.Meta("go.arch", "amd64")
	gw.Meta("pointer.size", strconv.Itoa(wordSize))
	if info, err := os.Stat(core); err == nil && info.ModTime().Year() < 10000 {
		gw.Meta("time", info.ModTime().Format(time.RFC3339Nano))
	}
	gw.Meta("source", "core")
}

// writeTables writes the rest of the file except END.
func (gw *writer) writeTables(m *marker) {
	gw.flushRefs()
	gw.flushClaims()
	for i := range gw.p.heap.spans {
		s := &gw.p.heap.spans[i]
		gw.Span(&heapgraph.Span{Start: gw.address(s.base), Slots: s.slots, SlotSize: s.slotSize / wordSize, Skip: s.header / wordSize})
	}
	gw.writeHulls(m)
	refpath.NewNamerOf(names{gw.p}, m.records(), deepPC).WriteNodes(gw.Writer)
	gw.writeGoroutines(m)
	if gw.p.mainPath != "" {
		gw.Meta("main.path", gw.p.mainPath)
	}
	number := func(key string, n uint64) { gw.Meta(key, strconv.FormatUint(n, 10)) }
	number("gc.cycle", uint64(gw.p.cycle))
	number("live.bytes", m.bytes)
	number("live.objects", m.objects)
	number("allocated.bytes", 0)
	number("allocated.objects", 0)
	number("lost.bytes", uint64(m.paths.LostBytes.Load()))
	number("lost.objects", uint64(m.paths.LostObjects.Load()))
	number("dropped", 0)
}

// writeHulls writes which parts of objects are used.
func (gw *writer) writeHulls(m *marker) {
	for _, n := range slices.Sorted(maps.Keys(m.hulls)) {
		o := m.heap.objectOf(n)
		if b := m.hulls[n].Bounds(uintptr(o.s.slotSize)); m.isPartly(&o) {
			gw.Hull(heapgraph.Hull{Object: gw.address(o.base), First: uint64(b.First), End: uint64(b.End)})
		}
	}
}

// writeGoroutines writes the goroutines that have references.
func (gw *writer) writeGoroutines(m *marker) {
	for _, g := range gw.goroutines {
		record := heapgraph.Goroutine{Class: heapgraph.FirstClass, Wait: gw.String(g.wait), Func: gw.String(m.goroutineFunction(g))}
		if g.system {
			record.Class = heapgraph.SecondClass
		}
		if gw.labels {
			for _, l := range g.labels {
				record.Labels = append(record.Labels, heapgraph.Label{Key: gw.String(l.key), Value: gw.String(l.value)})
			}
		}
		number := gw.Goroutine(&record)
		if c, ok := m.callPlace(g.creator); ok {
			gw.Creator(heapgraph.Creator{Goroutine: number, Func: gw.String(c.function), File: gw.String(c.file), Line: uint64(c.line)})
		}
	}
}

// goroutineFunction returns the name of the function with which g began. If
// this is a wrapper that the compiler has made for a go statement, and the
// reference of g.place is in another frame of the stack, goroutineFunction
// returns the name of the function that the wrapper calls.
func (m *marker) goroutineFunction(g *goroutine) string {
	f := m.functionAt(g.startPC)
	if f == nil {
		return ""
	}
	name := printedName(f.name)
	if i := strings.LastIndexByte(name, '.'); !strings.HasPrefix(name[i+1:], "gowrap") {
		return name
	}
	first := name
	for n := m.paths.At(g.place); n.Parent != 0; n = m.paths.At(n.Parent) {
		if n.Kind != profilerecord.RefsFrame {
			continue
		}
		if n.Place == unreadPC {
			continue
		}
		if outermost := printedName(m.process.FunctionsAt(n.Place)[0]); outermost != first {
			name = outermost
		}
	}
	return name
}
