// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"cmp"
	"fmt"
	"go/token"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A hook is a call of one of our functions from one of Go's, or, inside ours, a
// call with one of our locks held.
type hook struct {
	call
	inOurs   bool
	contexts []string
	faults   []fault
}

// A fault is something that a hook's function reaches and that its context
// forbids.
type fault struct {
	hook   *hook
	rule   string // a word of accepted.txt
	target string // what is forbidden
	text   string
}

var (
	allocFuncs = set("mallocgc", "newobject", "newarray", "makeslice", "makeslice64", "growslice", "makemap", "makechan",
		"mallocgcSmallScanNoHeader", "mallocgcTiny", "mallocgcLarge")
	wakes  = set("ready", "goready")
	needsP = set("mallocgc", "newobject", "ready", "goready", "runqput", "wbBufFlush", "newproc1")
)

// hooks returns the calls of our functions.
func (c *contexts) hooks() []*hook {
	var list []*hook
	for _, f := range c.p.all {
		if c.p.isOurs(f) {
			for _, e := range c.p.calls[f] {
				if isCall(e) && len(c.held(e)) > 0 && !c.p.is(e.to, opaque) {
					list = append(list, &hook{call: e, inOurs: true})
				}
			}
			continue
		}
		for _, e := range c.p.calls[f] {
			if c.p.isOurs(e.to) && isCall(e) && e.to.Name() != "init" {
				list = append(list, &hook{call: e})
			}
		}
	}
	slices.SortFunc(list, func(a, b *hook) int {
		return cmp.Or(cmp.Compare(short(a.from), short(b.from)), cmp.Compare(a.site.Pos(), b.site.Pos()), cmp.Compare(short(a.to), short(b.to)))
	})
	return list
}

// judge finds the hook's contexts and faults.
func (c *contexts) judge(h *hook) {
	_, wrong := c.wrongBounds[h.from]
	_, signal := c.signal[h.from]
	_, withoutP := c.withoutP[h.from]
	_, checked := c.checked[h.from]
	_, system := c.system[h.from]
	dying := c.p.dying(h.from)
	nosplit := has(h.from, "nosplit")
	held := c.heldAt(h.call)
	allocating := held[mallocing]
	delete(held, mallocing)

	for _, context := range []struct {
		in   bool
		name string
	}{
		{wrong, "wrong bounds"},
		{nosplit, "nosplit"},
		{signal, "signal"},
		{dying, "dying"},
		{withoutP, "no P"},
		{checked || withoutP, "no write barriers"},
		{allocating, "mallocing"},
		{system, "system stack"},
		{len(c.heldHere(h.call)) > 0, "locks: " + strings.Join(c.heldHere(h.call), ", ")},
	} {
		if context.in {
			h.contexts = append(h.contexts, context.name)
		}
	}
	if nosplit {
		c.mustNotSplit(h, wrong)
	}
	if withoutP {
		c.mustNotReach(h, "P", needsP)
	}
	if checked || withoutP {
		c.mustHaveNoBarriers(h, checked)
	}
	if allocating || signal || dying {
		c.mustNotReach(h, "ready", wakes)
		c.mustNotAllocate(h)
	}
	if allocating || signal || dying || system || len(held) > 0 {
		c.mustNotReach(h, "park", parkFuncs)
	}
	c.mustOrderLocks(h, slices.Sorted(maps.Keys(held)), signal || dying)
}

// judgeHeld finds the faults of a call inside ours with locks held.
func (c *contexts) judgeHeld(h *hook) {
	names := c.heldHere(h.call)
	if c.held(h.call)[mallocing] {
		h.contexts = append(h.contexts, "mallocing")
		c.mustNotAllocate(h)
	}
	if len(names) > 0 {
		h.contexts = append(h.contexts, "locks: "+strings.Join(names, ", "))
	}
	c.mustNotReach(h, "park", parkFuncs)
	c.mustOrderLocks(h, names, false)
}

// heldHere returns the locks that the call's own function holds.
func (c *contexts) heldHere(e call) []string {
	names := slices.Sorted(maps.Keys(c.held(e)))
	return slices.DeleteFunc(names, func(name string) bool { return name == mallocing })
}

// heldAt returns what may be held at a call.
func (c *contexts) heldAt(e call) map[string]bool {
	held := maps.Clone(c.held(e))
	if held == nil {
		held = make(map[string]bool)
	}
	for name := range c.entry[e.from] {
		if !c.state[e.from].releases[name] {
			held[name] = true
		}
	}
	return held
}

func (h *hook) fault(rule, target, format string, args ...any) {
	for _, f := range h.faults {
		if f.rule == rule && f.target == target {
			return
		}
	}
	h.faults = append(h.faults, fault{h, rule, target, fmt.Sprintf(format, args...)})
}

// mustNotSplit: the stack must not be split in what the hook reaches on this
// stack.
func (c *contexts) mustNotSplit(h *hook, wrong bool) {
	follow := func(e call) bool {
		return isCall(e) && (wrong || !e.switches) && !c.p.repaired(e) && (e.from == h.from || !c.p.splits(e.from))
	}
	if !follow(h.call) {
		return
	}
	from := c.p.walk([]*ssa.Function{h.to}, follow)
	for f := range from {
		if c.p.splits(f) {
			h.fault("split", short(f), "%s may split the stack: %s", short(f), chainOf(from, f))
		}
	}
}

// mustNotReach: the hook must not reach functions with these names.
func (c *contexts) mustNotReach(h *hook, rule string, names map[string]bool) {
	from := c.p.walk([]*ssa.Function{h.to}, isCall)
	for f := range from {
		if c.p.is(f, names) {
			h.fault(rule, short(f), "reaches %s: %s", short(f), chainOf(from, f))
		}
	}
}

// mustHaveNoBarriers: the compiler must check all that the hook reaches. It does
// not follow calls of function values.
func (c *contexts) mustHaveNoBarriers(h *hook, checked bool) {
	fit := func(f *ssa.Function) bool { return has(f, "nowritebarrierrec") || has(f, "yeswritebarrierrec") }
	if (!checked || h.dynamic) && !fit(h.to) {
		h.fault("barrier", short(h.to), "%s is not nowritebarrierrec; no P: %s", short(h.to), chainOf(c.withoutP, h.from))
	}
	from := c.p.walk([]*ssa.Function{h.to}, func(e call) bool { return isCall(e) && !has(e.to, "yeswritebarrierrec") })
	for f := range from {
		for _, e := range c.p.calls[f] {
			if e.dynamic && isCall(e) && !fit(e.to) && c.p.isOurs(e.from) {
				h.fault("barrier", short(e.to), "%s, called as a function value, is not nowritebarrierrec: %s", short(e.to), chainOf(from, f))
			}
		}
	}
}

// mustNotAllocate: the hook must not reach an allocation from the heap.
func (c *contexts) mustNotAllocate(h *hook) {
	from := c.p.walk([]*ssa.Function{h.to}, isCall)
	for f := range from {
		if pos := c.allocates(f); pos.IsValid() {
			h.fault("alloc", short(f), "%s allocates at %s: %s", short(f), c.p.at(pos), chainOf(from, f))
		}
	}
}

// allocates returns where f allocates by itself. In the runtime, the compiler
// permits only explicit allocations: see the escape analysis.
func (c *contexts) allocates(f *ssa.Function) token.Pos {
	if c.p.is(f, allocFuncs) {
		return position(f)
	}
	for _, b := range f.Blocks {
		for _, instr := range b.Instrs {
			switch instr := instr.(type) {
			case *ssa.Alloc:
				if instr.Heap && (instr.Comment == "new" || instr.Comment == "complit") && c.inHeap(instr.Pos()) {
					return instr.Pos()
				}
			case *ssa.MakeSlice:
				if c.inHeap(instr.Pos()) {
					return instr.Pos()
				}
			case *ssa.MakeMap, *ssa.MakeChan, *ssa.MapUpdate, *ssa.Go:
				return instr.Pos()
			case *ssa.Call:
				if b, ok := instr.Call.Value.(*ssa.Builtin); ok && b.Name() == "append" {
					return instr.Pos()
				}
			}
		}
	}
	return token.NoPos
}

// inHeap reports whether what is made at pos is in the heap.
func (c *contexts) inHeap(pos token.Pos) bool {
	return c.p.escapes == nil || c.p.escapes[c.p.at(pos)]
}

// mustOrderLocks: the hook takes locks only in the order of lockPartialOrder,
// and none in a signal handler.
func (c *contexts) mustOrderLocks(h *hook, held []string, none bool) {
	if len(held) == 0 && !none {
		return
	}
	without := c.takenWithout(h)
	c.visitTaken(h.to, isCall, func(taken string, f *ssa.Function, from map[*ssa.Function]*call) {
		if without[taken] || without[c.rankOf(taken)] {
			return
		}
		if none {
			h.fault("lock", taken, "takes %s: %s", taken, chainOf(from, f))
		}
		for _, name := range held {
			if !c.permits(name, taken) {
				h.fault("order", name+"<"+taken, "takes %s: %s; holds %s: %s", taken, chainOf(from, f), name, c.chain(h.from, name))
			}
		}
	})
}

// takenWithout returns the locks, and the ranks of locks, that Go's function
// takes without our functions. In the context of such a lock, a hook that takes
// it too adds nothing.
func (c *contexts) takenWithout(h *hook) map[string]bool {
	without := make(map[string]bool)
	if h.inOurs {
		return without
	}
	follow := func(e call) bool { return isCall(e) && !c.p.isOurs(e.to) }
	c.visitTaken(h.from, follow, func(name string, _ *ssa.Function, _ map[*ssa.Function]*call) {
		without[name] = true
		if rank := c.rankOf(name); rank != "" {
			without[rank] = true
		}
	})
	return without
}

// rankOf returns the rank of a lock as text, or "" if it has none.
func (c *contexts) rankOf(lock string) string {
	if rank, ok := c.of[lock]; ok {
		return itoa(int(rank))
	}
	return ""
}

// visitTaken visits the locks that f and what it reaches take.
func (c *contexts) visitTaken(f *ssa.Function, follow func(call) bool, visit func(name string, in *ssa.Function, from map[*ssa.Function]*call)) {
	from := c.p.walk([]*ssa.Function{f}, follow)
	for f := range from {
		if c.p.is(f, opaque) {
			continue
		}
		for _, b := range f.Blocks {
			for _, instr := range b.Instrs {
				if site, ok := instr.(*ssa.Call); ok {
					if taken := c.taken(site); taken != "" {
						visit(taken, f, from)
					}
				}
			}
		}
	}
}
