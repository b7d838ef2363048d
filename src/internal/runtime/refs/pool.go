// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Pools.
//
// A sync.Pool has a poolLocal for each P. It also keeps the poolLocals from
// before the latest collection, its victims. A poolLocal has up to one item in
// itself, and other items in a chain of queues. The place of an item changes
// all the time and has no meaning. Therefore all items have the path of the
// item in a poolLocal itself.

package refs

import "internal/profilerecord"

// Offsets in sync.poolLocal. It begins with an interface, which is the item,
// followed by the pointers to both ends of the chain. TestRefsPoolPaths of
// package runtime checks them.
const (
	poolItem  = ptrSize // data word of the interface
	poolChain = 2 * ptrSize
)

// foldPool changes key, the key of the reference s, if the object that has the
// reference is part of a pool. The parameter from is the node of that object.
// The pointers to both ends of a chain become one reference. An item in a queue
// gets the path of the item in a poolLocal itself.
func (ps *Paths) foldPool(from *Node, s *Slot, key *Key) {
	pool := ps.Pool.Load()
	switch {
	case pool == 0:
	case from.Type == pool && s.Kind == SlotPointer:
		key.Place = poolChain
	case s.Kind.IsInterface() && ps.isPoolQueue(from, pool):
		key.Parent, key.Place = ps.At(from.Parent).Parent, poolItem
	}
}

// isPoolQueue reports whether the objects of node are the arrays of items that
// elements of a pool's chain refer to.
func (ps *Paths) isPoolQueue(node *Node, pool uintptr) bool {
	elem := ps.At(node.Parent)
	return elem.Kind == profilerecord.RefsField && elem.Place == poolChain && ps.At(elem.Parent).Type == pool
}

// PoolItem is the offset of the item in a poolLocal.
const PoolItem = poolItem

// IsPoolLocal reports whether sync.Pools refer to the objects of node n.
//
//go:nowritebarrierrec
func (ps *Paths) IsPoolLocal(n uint32) bool {
	node := ps.At(n)
	return n&Lost == 0 && node.Type != 0 && node.Type == ps.Pool.Load()
}

// RankAt returns the rank of objects that are held back at node n in stage s.
// An item that moves while a process records is scanned early, so that no stack
// claims its buffers. What else it refers to, such as the connection to which it
// writes, belongs to others: until StagePools, it is held back like a poolLocal.
//
//go:nowritebarrierrec
func (ps *Paths) RankAt(n uint32, s Stage) Rank {
	node := ps.At(n)
	return RankOf(n, node.Kind, node.pooled && (s < StagePools || ps.IsPoolLocal(n)))
}
