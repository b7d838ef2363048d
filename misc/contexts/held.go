// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"go/token"
	"maps"
	"strconv"

	"golang.org/x/tools/go/ssa"
)

func itoa(n int) string { return strconv.Itoa(n) }

// mallocing stands for m.mallocing among the names of locks, because it is set
// and cleared as a lock is locked and unlocked.
const mallocing = "m.mallocing"

// A lockState has what is held before each call on all paths from the function's
// beginning, and how the function changes what its caller holds.
type lockState struct {
	at       map[ssa.CallInstruction]map[string]bool
	acquires map[string]bool // on all paths
	releases map[string]bool // on some path
}

// locks finds which locks are held where.
type locks struct {
	p     *program
	state map[*ssa.Function]*lockState
	entry map[*ssa.Function]map[string]*call // what callers may hold, and the call that brings it
}

var (
	lockFuncs    = set("lock", "lockWithRank", "lock2")
	mayLockFuncs = set("lockWithRankMayAcquire")
	unlockFuncs  = set("unlock", "unlockWithRank", "unlock2", "goparkunlock")
	parkFuncs    = set("gopark")
)

// maxRounds is far more than the depth of calls between a function that locks a
// lock for its callers and these callers.
const maxRounds = 20

func findLocks(p *program) *locks {
	l := &locks{
		p:     p,
		state: make(map[*ssa.Function]*lockState),
		entry: make(map[*ssa.Function]map[string]*call),
	}
	for range maxRounds {
		changed := false
		for _, f := range p.all {
			changed = l.flow(f) || changed
		}
		if !changed {
			break
		}
	}
	l.enter()
	return l
}

// flow finds what is held in f, and reports whether f's effect on callers has
// changed.
func (l *locks) flow(f *ssa.Function) bool {
	s := &lockState{at: make(map[ssa.CallInstruction]map[string]bool), releases: make(map[string]bool)}
	in, out := make([]map[string]bool, len(f.Blocks)), make([]map[string]bool, len(f.Blocks))
	var queue []*ssa.BasicBlock
	if len(f.Blocks) > 0 {
		in[0] = make(map[string]bool)
		queue = append(queue, f.Blocks[0])
	}
	for len(queue) > 0 {
		b := queue[0]
		queue = queue[1:]
		held := maps.Clone(in[b.Index])
		if !l.steps(b, held, s) {
			continue
		}
		out[b.Index] = held
		for _, next := range b.Succs {
			if in[next.Index] == nil {
				in[next.Index] = maps.Clone(held)
			} else if !intersect(in[next.Index], held) {
				continue
			}
			queue = append(queue, next)
		}
	}
	for _, b := range f.Blocks {
		if _, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && out[b.Index] != nil {
			if s.acquires == nil {
				s.acquires = maps.Clone(out[b.Index])
			}
			intersect(s.acquires, out[b.Index])
		}
	}
	old := l.state[f]
	l.state[f] = s
	return old == nil || !maps.Equal(old.acquires, s.acquires) || !maps.Equal(old.releases, s.releases)
}

// intersect takes from a what is not in b, and reports whether it did.
func intersect(a, b map[string]bool) (changed bool) {
	for name := range a {
		if !b[name] {
			delete(a, name)
			changed = true
		}
	}
	return changed
}

// steps applies the instructions of b to what is held, and reports whether their
// end is reached.
func (l *locks) steps(b *ssa.BasicBlock, held map[string]bool, s *lockState) bool {
	for _, instr := range b.Instrs {
		if site, ok := instr.(*ssa.Call); ok {
			if f := site.Call.StaticCallee(); f != nil && l.p.is(f, dies) {
				return false
			}
		}
		l.step(instr, held, s)
	}
	return true
}

// step applies an instruction to what is held.
func (l *locks) step(instr ssa.Instruction, held map[string]bool, s *lockState) {
	release := func(name string) {
		if !held[name] {
			s.releases[name] = true
		}
		delete(held, name)
	}
	switch instr := instr.(type) {
	case *ssa.Store:
		if lockName(instr.Addr) == mallocing {
			if c, ok := instr.Val.(*ssa.Const); ok && c.Int64() == 0 || isSub(instr.Val) {
				release(mallocing)
			} else {
				held[mallocing] = true
			}
		}
	case *ssa.Call:
		s.at[instr] = maps.Clone(held)
		callee := instr.Call.StaticCallee()
		switch {
		case callee == nil:
		case l.p.is(callee, lockFuncs):
			if name := lockName(instr.Call.Args[0]); name != "" {
				held[name] = true
			}
		case l.p.is(callee, parkFuncs):
			clear(held) // the function that it is given unlocks
		case l.p.is(callee, unlockFuncs):
			if name := lockName(instr.Call.Args[0]); name != "" {
				release(name)
			}
		case l.p.is(callee, switchers):
			if to := funcOf(instr.Call.Args[0]); to != nil {
				l.effect(to, held, release)
			}
		default:
			l.effect(callee, held, release)
		}
	}
}

func isSub(v ssa.Value) bool {
	op, ok := v.(*ssa.BinOp)
	return ok && op.Op == token.SUB
}

// effect applies what a call of f changes.
func (l *locks) effect(f *ssa.Function, held map[string]bool, release func(string)) {
	if s := l.state[f]; s != nil && !l.p.is(f, opaque) {
		for name := range s.releases {
			release(name)
		}
		maps.Copy(held, s.acquires)
	}
}

// enter finds what callers may hold.
func (l *locks) enter() {
	var queue []*ssa.Function
	add := func(c call, name string) {
		if l.p.is(c.to, guarded) {
			return
		}
		if l.entry[c.to] == nil {
			l.entry[c.to] = make(map[string]*call)
		}
		if l.entry[c.to][name] == nil {
			l.entry[c.to][name] = &c
			queue = append(queue, c.to)
		}
	}
	for _, f := range l.p.all {
		if l.p.isOurs(f) {
			continue
		}
		for _, c := range l.p.calls[f] {
			for name := range l.held(c) {
				add(c, name)
			}
		}
	}
	for len(queue) > 0 {
		f := queue[0]
		queue = queue[1:]
		for _, c := range l.p.calls[f] {
			if !isCall(c) || l.parks(c.from) || l.p.isOurs(f) {
				continue
			}
			for name := range l.entry[f] {
				if !l.state[f].releases[name] {
					add(c, name)
				}
			}
		}
	}
}

// held returns the locks that c's function itself holds at c.
func (l *locks) held(c call) map[string]bool {
	if s := l.state[c.from]; s != nil {
		return s.at[c.site]
	}
	return nil
}

// parks reports whether f is gopark or what it calls, which run when locks have
// been or are being unlocked.
func (l *locks) parks(f *ssa.Function) bool {
	return l.p.is(f, parkFuncs) || l.p.is(f, set("park_m", "schedule", "mcall"))
}

// isCall reports whether c's target runs before the statement ends.
func isCall(c call) bool {
	_, ok := c.site.(*ssa.Call)
	return ok
}

// taken returns the lock that is taken at a call, if any.
func (l *locks) taken(site ssa.CallInstruction) string {
	callee := site.Common().StaticCallee()
	if callee == nil || !l.p.is(callee, lockFuncs) && !l.p.is(callee, mayLockFuncs) {
		return ""
	}
	return lockName(site.Common().Args[0])
}

// chain returns the functions from the one that takes a lock to f.
func (l *locks) chain(f *ssa.Function, name string) string {
	text := short(f)
	seen := map[*ssa.Function]bool{f: true}
	for {
		c := l.entry[f][name]
		if c == nil || seen[c.from] {
			return text
		}
		text = short(c.from) + " → " + text
		if l.held(*c)[name] {
			return text
		}
		f = c.from
		seen[f] = true
	}
}
