// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file has the stages of marking and their roots, in the recorder's order
// (runtime/mrefsstage.go, runtime/mrefsroots.go). All queued objects are
// scanned before the next stage begins. A core file needs no stage for the
// stacks of goroutines that have run since their scan, because nothing runs.
// The recorder's stages for allocation sites and for sets are left out, too.

package core

import (
	"cmp"
	"internal/profilerecord"
	"slices"
)

type stage uint8

const (
	stageOwn            stage = iota // globals of the program's own packages
	stageMainOwn                     // frames of functions of these packages in the main goroutine's stack
	stageMain                        // the rest of the stack of the main goroutine
	stageGlobals                     // globals of other packages, except the runtime's
	stageModules                     // globals of modules without a table of variables
	stageGlobalsUntyped              // references of unknown type from the stages before
	stageOldest                      // the stacks of the oldest goroutines
	stageBorrowed                    // objects to which borrowers (closures and contexts) refer
	stageStacks                      // stacks of other goroutines of the program
	stageStacksUntyped
	stageSpecials
	stageSpecialsUntyped
	stageRuntime // the runtime's own globals
	stageRuntimeUntyped
	stageSystem // stacks of the runtime's own goroutines
	stagePools  // objects that only a sync.Pool, a register or a conservatively scanned frame holds
	stageBarrier

	numStages
)

// untyped reports whether references of unknown type claim at once.
func (s stage) untyped() bool {
	switch s {
	case stageGlobalsUntyped, stageStacksUntyped, stageSpecialsUntyped, stageRuntimeUntyped:
		return true
	}
	return s >= stageSystem
}

// releases returns the lowest rank of the objects that stage s releases.
// Objects of rankRegisters wait for stagePools, because the core file of a
// program that crashed has many of them, and the runtime's variables give
// better types.
func (s stage) releases() int {
	switch s {
	case stagePools:
		return rankPool
	case stageBarrier:
		return rankBarrier
	}
	return rankUntyped
}

// oldest is the largest number of goroutines that count as the oldest. If the
// main goroutine is one of them, stageMain has already followed its stack.
const oldest = 16

// mark marks everything.
func (m *marker) mark() {
	scanned := make(map[*goroutine]bool)
	stack := func(g *goroutine) {
		if !scanned[g] {
			scanned[g] = true
			m.followStack(g, false)
			m.drain()
		}
	}
	byAge := slices.Clone(m.goroutines)
	slices.SortFunc(byAge, func(a, b *goroutine) int { return cmp.Compare(a.id, b.id) })
	for m.stage = stageOwn; m.stage < numStages; m.stage++ {
		switch m.stage {
		case stageOwn, stageGlobals, stageRuntime:
			m.followGlobals()
		case stageMainOwn:
			if g := m.mainGoroutine(); g != nil {
				m.followStack(g, true)
			}
		case stageMain:
			if g := m.mainGoroutine(); g != nil {
				stack(g)
			}
		case stageModules:
			m.followModules()
		case stageOldest:
			n := 0
			for _, g := range byAge {
				if !g.system && n < oldest {
					n++
					stack(g)
				}
			}
		case stageBorrowed:
			m.releaseDelayed()
		case stageStacks, stageSystem:
			for _, g := range m.goroutines {
				if !g.system || m.stage == stageSystem {
					stack(g)
				}
			}
		case stageSpecials:
			m.followSpecials()
		default:
			m.release()
			if m.stage == stageBarrier {
				m.followTiny()
			}
		}
		m.drain()
	}
}

// mainGoroutine returns the main goroutine, or nil.
func (m *marker) mainGoroutine() *goroutine {
	for _, g := range m.goroutines {
		if g.id == 1 {
			return g
		}
	}
	return nil
}

// followGlobals follows the references in the variables that the stage follows.
func (m *marker) followGlobals() {
	gs := &m.globals
	for i := range gs.all {
		g := &gs.all[i]
		want := stageGlobals
		if g.runtime {
			want = stageRuntime
		} else if m.own.has(g.pkg) {
			want = stageOwn
		}
		if want != m.stage {
			continue
		}
		section := &m.modules[0].data
		if i >= gs.data {
			section = &m.modules[0].bss
		}
		m.followVariable(i, section)
	}
}

// followVariable follows the references in global variable i.
func (m *marker) followVariable(i int, section *dataSection) {
	g := &m.globals.all[i]
	node, stride := uint32(0), uint64(0)
	m.byNode = true
	section.pointers(g.addr, g.addr+g.size, func(at uint64) {
		val := m.word(at)
		if m.spanOf(val) == nil {
			return
		}
		if node == 0 {
			node = m.globalNode(i)
			stride = m.nodes.at(node).stride
		}
		off := at - g.addr
		if off >= stride && stride != 0 {
			off %= stride
		}
		m.follow(&edge{from: node, off: off, at: at, val: val}, false)
	})
	m.byNode = false
}

// globalNode returns the node for global variable i.
func (m *marker) globalNode(i int) uint32 {
	g := &m.globals.all[i]
	k := key{kind: profilerecord.RefsGlobal, role: profilerecord.RefsVariable, off: uint64(i), typ: g.typ}
	if g.runtime {
		k.kind = profilerecord.RefsRuntimeGlobal
	}
	if isOneReference(g.typ) {
		k.role = roleDirect
	}
	return m.nodes.find(&k)
}

// followModules follows the references in data and bss of modules without a
// table of variables, apart from those in variables that are known by their
// symbols. Each block of a section (see blockSize) is a root.
func (m *marker) followModules() {
	for _, mod := range m.modules {
		if mod.globals {
			continue
		}
		for _, section := range []*dataSection{&mod.data, &mod.bss} {
			size := m.blockSize(section)
			node, block := uint32(0), uint64(0)
			m.byNode = true
			section.pointers(section.start, section.end, func(at uint64) {
				val := m.word(at)
				if m.spanOf(val) == nil || mod == m.modules[0] && m.globals.has(at) {
					return
				}
				if b := section.start + (at-section.start)/size*size; node == 0 || b != block {
					block = b
					node = m.nodes.find(&key{kind: profilerecord.RefsModuleData, role: profilerecord.RefsVariable, off: b, text: mod.dataName(b)})
				}
				m.follow(&edge{from: node, off: 0, at: at, val: val}, false)
			})
			m.byNode = false
		}
	}
}

// followTiny follows the references of Ps to the blocks in which they allocate
// tiny objects.
func (m *marker) followTiny() {
	for at := range m.elements(m.variable(profilerecord.CoreAllPs), wordSize) {
		cache := m.word(at + m.off(profilerecord.CorePCache))
		if o, ok := m.find(m.word(cache + m.off(profilerecord.CoreCacheTiny))); ok && cache != 0 {
			m.takeBarrier(&o)
		}
	}
}
