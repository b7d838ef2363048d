// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// contexts says in which contexts Go's functions run.
type contexts struct {
	p *program
	*locks
	*ranks

	wrongBounds map[*ssa.Function]*call // the stack's bounds may be wrong: not even systemstack may be used
	signal      map[*ssa.Function]*call // a signal handler
	checked     map[*ssa.Function]*call // the compiler finds write barriers here
	withoutP    map[*ssa.Function]*call // there may be no P
	system      map[*ssa.Function]*call // the system stack
}

// The functions in which contexts begin.
var (
	// dropm runs on the stack of an exiting thread of C, needm before the
	// bounds are set, and a signal handler before it knows its stack.
	wrongBoundsRoots = set("dropm", "needm", "needAndBindM", "cgoBindM", "sigtrampgo", "badsignal", "sigFetchG", "sigprofNonGo", "sigprofNonGoPC")
	// boundsRepair sets the bounds to those of the current stack.
	boundsRepair = set("callbackUpdateSystemStack")
	signalRoots  = set("sigtrampgo", "sighandler", "sigprofNonGo", "exceptionhandler", "profilem")
	withoutPRoot = set("minit", "unminit", "mdestroy", "needm", "dropm", "sysmon", "sigtrampgo", "badsignal", "sighandler", "mstart1", "handoffp", "templateThread")
	// havesP has functions that run with a P, whoever calls them.
	havesP = set("execute", "schedule", "acquirep", "acquirepNoTrace", "allocm", "startTheWorldWithSema", "mcommoninit", "newproc1")
)

// findContexts finds the contexts of all functions.
func findContexts(p *program) *contexts {
	c := &contexts{p: p, locks: findLocks(p), ranks: readRanks(p)}
	goOn := func(e call) bool { return isCall(e) && !p.isOurs(e.to) }
	c.wrongBounds = p.walk(p.named(wrongBoundsRoots), func(e call) bool {
		return goOn(e) && !p.repaired(e) && (e.switches || !p.splits(e.to))
	})
	c.signal = p.walk(p.named(signalRoots), goOn)
	barriers := func(e call) bool { return !e.dynamic && isCall(e) && !has(e.to, "yeswritebarrierrec") }
	var rec []*ssa.Function
	for _, f := range p.all {
		if has(f, "nowritebarrierrec") {
			rec = append(rec, f)
		}
	}
	c.checked = p.walk(rec, barriers)
	c.withoutP = p.walk(p.named(withoutPRoot), func(e call) bool {
		return goOn(e) && !has(e.to, "yeswritebarrierrec") && !p.is(e.to, havesP)
	})
	var system []*ssa.Function
	for _, f := range p.all {
		if has(f, "systemstack") {
			system = append(system, f)
		}
		for _, e := range p.calls[f] {
			if e.switches && !p.is(e.site.Common().StaticCallee(), set("mcall")) {
				system = append(system, e.to)
			}
		}
	}
	c.system = p.walk(system, goOn)
	return c
}

// named returns the functions of the runtime with one of the names.
func (p *program) named(names map[string]bool) []*ssa.Function {
	var list []*ssa.Function
	for name := range names {
		if f := p.runtime.Func(name); f != nil {
			list = append(list, f)
		}
	}
	slices.SortFunc(list, func(a, b *ssa.Function) int { return int(a.Pos() - b.Pos()) })
	return list
}

// repaired reports whether the stack's bounds have been set before c.
func (p *program) repaired(c call) bool {
	for _, b := range c.from.Blocks {
		for i, instr := range b.Instrs {
			site, ok := instr.(*ssa.Call)
			if !ok || site.Call.StaticCallee() == nil || !p.is(site.Call.StaticCallee(), boundsRepair) {
				continue
			}
			if b == c.site.Block() {
				return slices.Index(b.Instrs, ssa.Instruction(c.site)) > i
			}
			return b.Dominates(c.site.Block())
		}
	}
	return false
}

// dying reports whether f, or the function around it, ends the process.
func (p *program) dying(f *ssa.Function) bool {
	for f.Parent() != nil {
		f = f.Parent()
	}
	return p.is(f, dies) && !p.is(f, set("gopanic", "goexit0", "goexit1", "Goexit"))
}
