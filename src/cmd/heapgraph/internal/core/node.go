// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file has the nodes: a tree of paths from roots to objects
// (internal/runtime/refs).

package core

import (
	"internal/profilerecord"
	"internal/runtime/refs"
	"strings"
	"unsafe"
)

// newPaths prepares the tree of paths.
func (p *process) newPaths() {
	off := func(i int) uintptr { return uintptr(p.off(i)) }
	native := func(t *Type) uintptr { return addressOf(t.native()) }
	p.paths.Heap = heapOf{p}
	p.paths.Layout = refs.Layout{
		MapSize:       off(profilerecord.CoreMapSize),
		MapDir:        off(profilerecord.CoreMapDir),
		MapDirLen:     off(profilerecord.CoreMapDirLen),
		TableSize:     off(profilerecord.CoreTableSize),
		TableGroups:   off(profilerecord.CoreTableGroups),
		IterKey:       0, // an iterator begins with the pointers that range statements read
		IterElem:      wordSize,
		IterType:      off(profilerecord.CoreIterType),
		IterMap:       off(profilerecord.CoreIterMap),
		IterTable:     off(profilerecord.CoreIterTable),
		ChanSize:      off(profilerecord.CoreChanSize),
		ChanBuffer:    off(profilerecord.CoreChanBuffer),
		ChanReceivers: off(profilerecord.CoreChanReceivers),
		ChanSenders:   off(profilerecord.CoreChanSenders),
		MaxHeaderless: off(profilerecord.CoreMaxHeaderless),
		TinySize:      off(profilerecord.CoreTinySize),
	}
	k := &p.known
	p.paths.Known = refs.Known{
		Byte: native(k.bytes), Iter: native(k.iter), Defer: native(k.defers), Sudog: native(k.sudog), TimeTimer: native(k.timeTimer), Timer: native(k.timer),
		G: native(k.g), M: native(k.m), PaddedM: native(k.mPadded), P: native(k.proc),
	}
	p.paths.Make(new(nodeMemory))
	p.labelSets = make(map[string]uintptr)
}

// A nodeMemory is the memory of nodes, which have no pointers. They refer to
// each other by their numbers.
type nodeMemory struct{ kept [][]uint64 }

func (m *nodeMemory) Alloc(n uintptr) uintptr {
	b := make([]uint64, (n+7)/8)
	m.kept = append(m.kept, b)
	return uintptr(unsafe.Pointer(&b[0]))
}

func (m *nodeMemory) Free(p, n uintptr) {}

// goroutineNode returns the node for goroutines with the labels of g.
func (p *process) goroutineNode(g *goroutine) uint32 {
	set := uintptr(0)
	if len(g.labels) > 0 {
		text := labelText(g.labels)
		if set = p.labelSets[text]; set == 0 {
			set = uintptr(len(p.labelSets)) + 1
			p.labelSets[text] = set
		}
	}
	n, _ := p.paths.Goroutine(g.leaked, set)
	return n
}

// labelText returns a text that is the same for equal labels.
func labelText(labels []labelPair) string {
	var text strings.Builder
	for _, l := range labels {
		text.WriteString(l.key + "\x00" + l.value + "\x00")
	}
	return text.String()
}
