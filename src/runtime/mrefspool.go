// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// References inside of sync.Pool.
//
// A pool has a poolLocal for each P, and those of the collection before, its victims. Each
// has one item itself, and others in a chain of queues. Where an item is changes from
// moment to moment and means nothing, so all have one path: that of the item that is in a
// poolLocal itself. Victims are shown as poolLocals are, and all queues as the first.
//
// Called by mrefsresolve.go.

package runtime

import (
	"internal/goarch"
	"internal/profilerecord"
)

// Offsets in sync.poolLocal, which begins with an interface, the item, and pointers to both
// ends of the chain. TestRefsPoolPaths checks them.
const (
	refsPoolItem  = goarch.PtrSize // the interface's data word
	refsPoolChain = 2 * goarch.PtrSize
)

// foldPool changes key, for the reference s in an object of node from, if the object is
// part of a pool.
//
//go:nowritebarrierrec
func (from *refsNode) foldPool(s *refsSlot, key *refsKey) {
	pool := refs.poolLocal.Load()
	if pool == 0 {
		return
	}
	switch {
	case from.typ == pool && s.kind == refsSlotPointer:
		key.off = refsPoolChain
	case s.kind == refsSlotIface && refs.nodes.isPoolQueue(from):
		key.parent, key.off = refs.nodes.at(from.parent).parent, refsPoolItem
	}
}

// isPoolQueue reports whether objects of node are arrays of items, below an element of the
// chain, below a poolLocal.
//
//go:nowritebarrierrec
func (ns *refsNodes) isPoolQueue(node *refsNode) bool {
	elem := ns.at(node.parent)
	return elem.kind == profilerecord.RefsField && elem.off == refsPoolChain && ns.at(elem.parent).typ == refs.poolLocal.Load()
}
