// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"cmp"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/callgraph/vta"
	"golang.org/x/tools/go/ssa"
)

// A call is an edge of the call graph.
type call struct {
	from, to *ssa.Function
	site     ssa.CallInstruction
	dynamic  bool // of a function value or a method of an interface
	switches bool // to is run by systemstack or mcall
}

// dies has functions that do not return. What they reach runs in a process that
// ends, and is not followed.
var dies = set("throw", "fatal", "fatalthrow", "fatalpanic", "gopanic", "panicmem", "panicmemAddr", "panicdivide",
	"panicshift", "panicoverflow", "panicfloat", "panicnil", "exit", "crash", "abort", "dieFromSignal", "startPanic_m",
	"dopanic_m", "badsystemstack", "badmcall", "badmcall2", "badreflectcall", "badunlockosthread", "fatalsignal",
	"badctxt", "badTimer", "goexit0", "goexit1", "Goexit", "sigpanic", "plainError")

// opaque has functions that are not followed: the implementation of locks, whose
// effect held.go knows, and of print, and tracebacks through C and of crashes.
var opaque = set("lock", "lock2", "lockWithRank", "lockWithRankMayAcquire", "unlock", "unlock2", "unlockWithRank",
	"lockInit", "cgoContextPCs", "callCgoSymbolizer", "traceback", "tracebacktrap", "traceback1", "traceback2", "tracebackothers", "printlock",
	"printunlock", "gwrite", "assertLockHeld", "assertRankHeld", "assertWorldStopped", "assertWorldStoppedOrLockHeld", "worldStopped", "worldStarted",
	"tracebackHexdump", "wakep", "startm")

// guarded has functions that return at once if a lock is held.
var guarded = set("gcStart", "gcAssistAlloc")

// switchers run a function on another stack.
var switchers = set("systemstack", "mcall")

func set(names ...string) map[string]bool {
	m := make(map[string]bool)
	for _, name := range names {
		m[name] = true
	}
	return m
}

// is reports whether f is a function of the runtime, not a method, with one of
// the names.
func (p *program) is(f *ssa.Function, names map[string]bool) bool {
	return f.Pkg == p.runtime && f.Signature.Recv() == nil && f.Parent() == nil && names[f.Name()]
}

// body returns the function that f is linked to, if f has no body, and the
// method that f calls, if package ssa has made f for a method value.
func (p *program) body(f *ssa.Function) *ssa.Function {
	if obj, ok := f.Object().(*types.Func); ok && f.Synthetic != "" {
		if method := p.ssa.FuncValue(obj); method != nil {
			f = method
		}
	}
	if len(f.Blocks) > 0 || f.Pkg == nil {
		return f
	}
	name, ok := p.links[f.Pkg.Pkg.Path()+"."+f.Name()]
	if !ok {
		return f
	}
	path, local := name[:max(strings.LastIndex(name, "."), 0)], name[strings.LastIndex(name, ".")+1:]
	if pkg := p.ssa.ImportedPackage(path); pkg != nil {
		if linked := pkg.Func(local); linked != nil && len(linked.Blocks) > 0 {
			return linked
		}
	}
	return f
}

// connect sets calls.
func (p *program) connect() {
	all := make(map[*ssa.Function]bool, len(p.all))
	for _, f := range p.all {
		all[f] = true
	}
	p.calls = make(map[*ssa.Function][]call)
	for f, node := range vta.CallGraph(all, nil).Nodes {
		if f == nil {
			continue
		}
		for _, e := range node.Out {
			if e.Site == nil {
				continue
			}
			p.add(call{from: f, to: p.body(e.Callee.Func), site: e.Site, dynamic: e.Site.Common().StaticCallee() == nil})
		}
	}
	for _, f := range p.all {
		p.addSwitches(f)
	}
	for _, calls := range p.calls {
		slices.SortStableFunc(calls, func(a, b call) int {
			return cmp.Or(cmp.Compare(a.site.Pos(), b.site.Pos()), cmp.Compare(a.to.String(), b.to.String()))
		})
	}
}

func (p *program) add(c call) {
	if !p.is(c.to, dies) && !p.is(c.from, opaque) {
		p.calls[c.from] = append(p.calls[c.from], c)
	}
}

// addSwitches adds the calls that systemstack and mcall make for f.
func (p *program) addSwitches(f *ssa.Function) {
	for _, b := range f.Blocks {
		for _, instr := range b.Instrs {
			site, ok := instr.(ssa.CallInstruction)
			if !ok {
				continue
			}
			callee := site.Common().StaticCallee()
			if callee == nil || !p.is(callee, switchers) {
				continue
			}
			if to := funcOf(site.Common().Args[0]); to != nil {
				p.add(call{from: f, to: to, site: site, switches: true})
			}
		}
	}
}

// funcOf returns the function that v is, or nil if it is not known.
func funcOf(v ssa.Value) *ssa.Function {
	switch v := v.(type) {
	case *ssa.Function:
		return v
	case *ssa.MakeClosure:
		return v.Fn.(*ssa.Function)
	}
	return nil
}

// walk visits what is reachable from roots, each function once. follow says
// whether a call is followed.
func (p *program) walk(roots []*ssa.Function, follow func(call) bool) map[*ssa.Function]*call {
	from := make(map[*ssa.Function]*call)
	var queue []*ssa.Function
	for _, f := range roots {
		if _, ok := from[f]; !ok {
			from[f] = nil
			queue = append(queue, f)
		}
	}
	for len(queue) > 0 {
		f := queue[0]
		queue = queue[1:]
		for _, c := range p.calls[f] {
			if _, ok := from[c.to]; ok || !follow(c) {
				continue
			}
			from[c.to] = &c
			queue = append(queue, c.to)
		}
	}
	return from
}

// chainOf returns the names of the functions by which a walk came to f.
func chainOf(from map[*ssa.Function]*call, f *ssa.Function) string {
	names := []string{short(f)}
	for c := from[f]; c != nil; c = from[c.from] {
		names = append(names, short(c.from))
	}
	slices.Reverse(names)
	return strings.Join(names, " → ")
}

// short returns f's name without the package.
func short(f *ssa.Function) string {
	name := f.RelString(nil)
	if f.Pkg != nil {
		name = f.RelString(f.Pkg.Pkg)
	}
	return name
}

// at returns the file and line of a position.
func (p *program) at(pos token.Pos) string {
	position := p.ssa.Fset.Position(pos)
	return position.Filename[strings.LastIndex(position.Filename, "/")+1:] + ":" + itoa(position.Line)
}
