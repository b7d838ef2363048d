// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file follows the roots of each stage (internal/runtime/refs). All queued
// objects are scanned before the next stage begins.

package core

import (
	"cmp"
	"internal/profilerecord"
	"internal/runtime/refs"
	"slices"
)

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
	m.stage = refs.First(false)
	m.followTiny()
	for ; m.stage <= refs.Last(false); m.stage = m.stage.Next(false) {
		if !m.stage.InCore() {
			continue
		}
		m.paths.InferIn(m.stage)
		switch roots := m.stage.Roots(); roots {
		case refs.OwnGlobals, refs.OtherGlobals, refs.RuntimeGlobals:
			m.followGlobals(roots)
		case refs.ModuleData:
			m.followModules()
		case refs.MainOwnFrames:
			if g := m.mainGoroutine(); g != nil {
				m.followStack(g, true)
			}
		case refs.MainStack:
			if g := m.mainGoroutine(); g != nil {
				stack(g)
			}
		case refs.OldestStacks:
			n := 0
			for _, g := range byAge {
				if !g.system && n < refs.MostOldest {
					n++
					stack(g)
				}
			}
		case refs.ProgramStacks, refs.AllStacks:
			for _, g := range m.goroutines {
				if !g.system || roots == refs.AllStacks {
					stack(g)
				}
			}
		case refs.Borrowers:
			m.releaseDelayed()
		case refs.Specials:
			m.followSpecials()
		case refs.HeldObjects:
			m.release()
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

// followGlobals follows the references in the variables that belong to roots.
func (m *marker) followGlobals(roots refs.Roots) {
	gs := &m.globals
	for i := range gs.all {
		g := &gs.all[i]
		if refs.GlobalsOf(g.runtime, m.own.has(g.pkg)) != roots {
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
			stride = uint64(m.paths.Stride(node))
		}
		off := at - g.addr
		if off >= stride && stride != 0 {
			off %= stride
		}
		m.follow(&refs.Edge{From: node, Off: uintptr(off), Slot: uintptr(at), Val: uintptr(val)}, false)
	})
	m.byNode = false
}

// globalNode returns the node for global variable i.
func (m *marker) globalNode(i int) uint32 {
	g := &m.globals.all[i]
	return m.paths.Global(i, g.runtime, addressOf(g.typ.native()))
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
					node = m.paths.ModuleNode(uintptr(b))
				}
				m.follow(&refs.Edge{From: node, Slot: uintptr(at), Val: uintptr(val)}, false)
			})
			m.byNode = false
		}
	}
}

// followTiny follows the references of Ps to the blocks in which they allocate
// tiny objects. The collector finds these before it marks anything else.
func (m *marker) followTiny() {
	for at := range m.elements(m.variable(profilerecord.CoreAllPs), wordSize) {
		cache := m.word(at + m.off(profilerecord.CorePCache))
		if o, ok := m.find(m.word(cache + m.off(profilerecord.CoreCacheTiny))); ok && cache != 0 {
			m.takeBarrier(&o)
		}
	}
}
