// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The tables of a heap graph, to which its records refer: spans, nodes, types
// and goroutines. Package refpath writes nodes and types.

package pprof

import (
	"cmp"
	"internal/heapgraph"
	"internal/profilerecord"
	"internal/refpath"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// writeTables writes the rest of the file except END, its last section.
func (gw *heapGraphWriter) writeTables(h *profilerecord.RefsGraph) {
	gw.flushReferences()
	gw.flushClaims()
	gw.writeSpans(h.Spans)
	for _, x := range h.Hulls {
		gw.Hull(heapgraph.Hull{Object: x.Object + heapGraphBase, First: x.First, End: x.End})
	}
	h.Hulls = nil
	refpath.NewNamer(h.Refs.Nodes, pprof_stackSpaceNames().DeepStack).WriteNodes(gw.Writer)
	gw.writeGoroutines(h.Refs.Nodes)
	gw.writeTotals(h)
}

// writeTotals writes the metadata of the recording.
func (gw *heapGraphWriter) writeTotals(h *profilerecord.RefsGraph) {
	if h.MainPath != "" {
		gw.Meta("main.path", h.MainPath)
	}
	number := func(key string, n int64) { gw.Meta(key, strconv.FormatInt(n, 10)) }
	p := h.Refs
	number("gc.cycle", int64(p.Cycle))
	number("live.bytes", int64(p.Live))
	number("live.objects", h.Objects)
	number("allocated.bytes", h.AllocatedBytes)
	number("allocated.objects", h.AllocatedObjects)
	number("lost.bytes", p.LostBytes)
	number("lost.objects", p.LostObjects)
	number("mark.ns", p.Duration)
	number("memory.bytes", int64(p.Memory))
	number("dropped", int64(h.Dropped))
	switch {
	case h.Lost > 0:
		gw.Meta("truncated", "claims")
	case h.Dropped > 0:
		gw.Meta("truncated", "references")
	}
}

// writeSpans writes spans in the order of their addresses, each once.
func (gw *heapGraphWriter) writeSpans(spans []profilerecord.RefsGraphSpan) {
	spans = slices.AppendSeq(spans, maps.Values(gw.lone))
	for i := range spans {
		spans[i].Base += heapGraphBase
	}
	last := uint64(0)
	for _, s := range sorted(spans, func(x, y *profilerecord.RefsGraphSpan) int { return cmp.Compare(x.Base, y.Base) }) {
		if s.Base != last {
			gw.Span(&heapgraph.Span{Start: s.Base, Slots: uint64(s.Slots), SlotSize: s.Size / ptrSize, Skip: uint64(s.Header) / ptrSize})
		}
		last = s.Base
	}
}

// heapGraphGoroutines numbers the goroutines of a snapshot in the order in
// which the log has them.
type heapGraphGoroutines struct {
	numbers map[uint64]uint64 // by goid
	all     []heapGraphGoroutine
}

type heapGraphGoroutine struct {
	pc    uint64 // entry of the function with which it began
	state profilerecord.RefsLogState
	node  uint64 // a node with a reference from its stack, or 0

	wait      uint64 // minutes for which it has waited
	inSyscall bool   // it has waited in a system call
}

// number returns the number of a goroutine, or 0 if goid is 0.
func (gs *heapGraphGoroutines) number(goid uint64) uint64 {
	if goid == 0 {
		return 0
	}
	n, ok := gs.numbers[goid]
	if !ok {
		gs.all = append(gs.all, heapGraphGoroutine{})
		n = uint64(len(gs.all))
		gs.numbers[goid] = n
	}
	return n
}

// at returns the number of a goroutine, or 0 if goid is 0. It records node as
// the node of a reference from the goroutine's stack.
func (gs *heapGraphGoroutines) at(goid, node uint64) uint64 {
	n := gs.number(goid)
	if n > 0 {
		gs.all[n-1].node = node
	}
	return n
}

// add records the description of a goroutine from a record of kind
// RefsLogGoroutine.
func (gs *heapGraphGoroutines) add(goid, pc, state uint64) {
	g := &gs.all[gs.number(goid)-1]
	g.pc, g.state, g.wait, g.inSyscall = pc, profilerecord.RefsLogState(state), 0, false
}

// waits records for how many minutes a goroutine has waited, and whether in a
// system call.
func (gs *heapGraphGoroutines) waits(goid, minutes uint64, inSyscall bool) {
	g := &gs.all[gs.number(goid)-1]
	g.wait, g.inSyscall = minutes, inSyscall
}

// reason returns for what the goroutine waits or last waited. For a long system
// call, it is that, as in tracebacks.
func (g *heapGraphGoroutine) reason() string {
	if g.inSyscall {
		return "syscall"
	}
	return pprof_waitReason(g.state.Wait())
}

// function returns the name of the function with which the goroutine began, or
// ThisRequest if it serves a request for the snapshot. If the goroutine began
// with the wrapper of a go statement with arguments, and the reference of g.node
// is in another function's frame, the name is that of the function whose frame
// comes right after the wrapper's. The wrapper calls it.
func (g *heapGraphGoroutine) function(nodes []profilerecord.RefsNode) string {
	f := runtime.FuncForPC(uintptr(g.pc))
	if root := g.root(nodes); root != nil && root.Request {
		return refpath.ThisRequest
	}
	if f == nil {
		return ""
	}
	name := f.Name()
	if i := strings.LastIndexByte(name, '.'); !strings.HasPrefix(name[i+1:], "gowrap") {
		return name
	}
	for n := &nodes[g.node]; n.Parent != 0; n = &nodes[n.Parent] {
		if n.Kind != profilerecord.RefsFrame {
			continue
		}
		if outermost := outermostFunction(n.PC); outermost != f.Name() {
			name = outermost
		}
	}
	return name
}

// outermostFunction returns the name of the function whose frame has the return
// address pc.
func outermostFunction(pc uintptr) (name string) {
	frames := runtime.CallersFrames([]uintptr{pc})
	for {
		f, more := frames.Next()
		name = f.Function
		if !more {
			return name
		}
	}
}

// labels returns the labels of the goroutine, or nil if it has none or if
// g.node is 0.
func (g *heapGraphGoroutine) labels(nodes []profilerecord.RefsNode) *labelMap {
	if root := g.root(nodes); root != nil {
		return (*labelMap)(root.Labels)
	}
	return nil
}

// root returns the node above g.node that has no parent, or nil if g.node is 0.
func (g *heapGraphGoroutine) root(nodes []profilerecord.RefsNode) *profilerecord.RefsNode {
	if g.node == 0 {
		return nil
	}
	root := &nodes[g.node]
	for root.Parent != 0 {
		root = &nodes[root.Parent]
	}
	return root
}

// writeGoroutines writes the goroutines.
func (gw *heapGraphWriter) writeGoroutines(nodes []profilerecord.RefsNode) {
	for i := range gw.goroutines.all {
		g := &gw.goroutines.all[i]
		record := heapgraph.Goroutine{Class: heapgraph.FirstClass, Wait: gw.String(g.reason())}
		if g.state.System() {
			record.Class = heapgraph.SecondClass
		}
		record.Func = gw.String(g.function(nodes))
		if set := g.labels(nodes); gw.labels && set != nil {
			for _, l := range set.Set.List {
				record.Labels = append(record.Labels, heapgraph.Label{Key: gw.String(l.Key), Value: gw.String(l.Value)})
			}
		}
		number := gw.Goroutine(&record)
		gw.writeCreator(number, g.state.Creator())
		if g.wait > 0 {
			gw.Wait(heapgraph.Wait{Goroutine: number, Minutes: g.wait})
		}
	}
}

// writeCreator writes where a goroutine was started, if pc, to which the go
// statement returned, is known.
func (gw *heapGraphWriter) writeCreator(goroutine uint64, pc uintptr) {
	f, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	if f.Function != "" {
		gw.Creator(heapgraph.Creator{Goroutine: goroutine, Func: gw.String(f.Function), File: gw.String(f.File), Line: uint64(f.Line)})
	}
}
