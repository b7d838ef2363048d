// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file resolves references in maps, map iterators, channels and
// sync.Pools. The functions that fill in a key k report whether k is exact (see
// resolve.go).

package core

import (
	"internal/abi"
	"internal/profilerecord"
)

// mapStorage fills in k for a reference between two of the objects that a map
// consists of, such as from the directory to a table.
func (rs *resolver) mapStorage(e *edge, from *node, o *object, k *key) bool {
	role, size, ok := rs.storageRole(e, from)
	if !ok || e.val != o.data || !o.fitsRow(size) {
		k.kind = profilerecord.RefsUnknown
		return rs.unknown(o, k)
	}
	k.kind, k.off, k.role, k.typ = profilerecord.RefsMapTable, 0, role, from.typ
	if from.role != profilerecord.RefsMap {
		k.parent = from.parent
	}
	return true
}

// storageRole returns the role of the object to which e refers, and the size of
// the object or, if it is an array, of an element. The parameter from is the
// node of the object that has the word of e. ok is false if that word is not
// known to refer to a part of a map.
func (rs *resolver) storageRole(e *edge, from *node) (role profilerecord.RefsRole, size uint64, ok bool) {
	switch from.role {
	case roleDirectory:
		return roleTable, rs.off(profilerecord.CoreTableSize), true
	case roleTable:
		return roleGroups, from.typ.mapLayout().groupSize, e.off == rs.off(profilerecord.CoreTableGroups)
	}
	dir := rs.off(profilerecord.CoreMapDir)
	if rs.word(e.at-dir+rs.off(profilerecord.CoreMapDirLen)) == 0 {
		return roleGroups, from.typ.mapLayout().groupSize, e.off == dir
	}
	return roleDirectory, wordSize, e.off == dir
}

// mapGroup fills in k for a reference in a group of a map of type t.
func (rs *resolver) mapGroup(e *edge, t *Type, o *object, k *key) bool {
	l := t.mapLayout()
	typ, indirect := t.keyType(), l.flags&abi.MapIndirectKey != 0
	k.kind = profilerecord.RefsMapKey
	isElem, off := l.offset(e.off)
	if isElem {
		k.kind = profilerecord.RefsMapValue
		typ, indirect = t.elemType(), l.flags&abi.MapIndirectElem != 0
	}
	k.off = off
	if indirect {
		return rs.pointee(o, typ, e.val, k)
	}
	s := typ.slotAt(off)
	k.off = s.off
	return rs.target(e, s, o, k)
}

// offset reports whether an offset in a group is in an element, not in a key,
// and returns the offset in that element or key. l may have any numbers,
// because the type of a group can be mistaken.
func (l *mapLayout) offset(off uint64) (isElem bool, in uint64) {
	if off < l.keys {
		return false, 0
	}
	stride := max(l.keyStride, 1)
	if l.elems < l.keys+l.keyStride { // each slot has a key and an element
		in = (off - l.keys) % stride
		if elem := l.elems - l.keys; in >= elem {
			return true, in - elem
		}
		return false, in
	}
	if off >= l.elems && l.elemStride != 0 {
		return true, (off - l.elems) % l.elemStride
	}
	return false, (off - l.keys) % stride
}

// mapIterator fills in k for a reference from an iterator over a map.
func (rs *resolver) mapIterator(e *edge, o *object, k *key) bool {
	t := rs.typeAt(rs.word(e.at - e.off + rs.off(profilerecord.CoreIterType)))
	if t == nil || t.kind != abi.Map {
		return rs.unknown(o, k)
	}
	k.off = rs.off(profilerecord.CoreIterMap)
	if e.off == k.off {
		return rs.target(e, slot{kind: slotMap, typ: t}, o, k)
	}
	k.role, k.typ = profilerecord.RefsMap, t
	l := t.mapLayout()
	parent := rs.nodes.find(k) // of the map
	switch {
	case e.off == iterKey && l.flags&abi.MapIndirectKey != 0:
		*k = key{parent: parent, kind: profilerecord.RefsMapKey}
		return rs.pointee(o, t.keyType(), e.val, k)
	case e.off == iterElem && l.flags&abi.MapIndirectElem != 0:
		*k = key{parent: parent, kind: profilerecord.RefsMapValue}
		return rs.pointee(o, t.elemType(), e.val, k)
	}
	role, size := roleGroups, l.groupSize
	if e.off == rs.off(profilerecord.CoreIterTable) {
		role, size = roleTable, rs.off(profilerecord.CoreTableSize)
	}
	*k = key{parent: parent, kind: profilerecord.RefsMapTable, role: role, typ: t}
	return o.fitsRow(size) || rs.unknown(o, k)
}

// Offsets in maps.Iter, which begins with the pointers that range statements
// read.
const (
	iterKey  = 0
	iterElem = wordSize
)

// chanStorage fills in k for a reference from a channel.
func (rs *resolver) chanStorage(e *edge, from *node, o *object, k *key) bool {
	receivers, senders := rs.off(profilerecord.CoreChanReceivers), rs.off(profilerecord.CoreChanSenders)
	switch e.off {
	case rs.off(profilerecord.CoreChanBuffer):
		k.kind, k.off, k.role, k.typ = profilerecord.RefsChanBuffer, 0, profilerecord.RefsBuffer, from.typ
		return true
	case receivers, receivers + wordSize, senders, senders + wordSize:
		k.kind, k.off = profilerecord.RefsChanWaiter, 0
		return rs.pointee(o, rs.known.sudog, e.val, k)
	}
	k.kind, k.off = profilerecord.RefsUnknown, 0
	return rs.unknown(o, k)
}

// Offsets in sync.poolLocal. It begins with an interface, which is the item,
// and whose data word is at poolItem. The pointers to both ends of the chain of
// other items follow.
const (
	poolItem  = wordSize
	poolChain = 2 * wordSize
)

// foldPool changes k, the key of the reference s, if the object that has the
// reference is part of a sync.Pool. The parameter from is the node of that
// object. The pointers to both ends of a chain become one reference. An item in
// one of the chain's queues gets the path of the item in a poolLocal itself.
func (rs *resolver) foldPool(from *node, s *slot, k *key) {
	if rs.nodes.pool == nil {
		return
	}
	if from.typ == rs.nodes.pool && s.kind == slotPointer {
		k.off = poolChain
		return
	}
	elem := rs.nodes.at(from.parent)
	if s.kind == slotIface && elem.kind == profilerecord.RefsField && elem.off == poolChain && rs.nodes.at(elem.parent).typ == rs.nodes.pool {
		k.parent, k.off = elem.parent, poolItem
	}
}
