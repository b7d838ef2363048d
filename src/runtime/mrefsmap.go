// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The objects that maps and channels consist of.
//
// A map has a header, then either one group, or a directory of tables with an
// array of groups each. Neither has a type that tells the map's; it comes from the
// reference to the header, or from an iterator. All are shown as the map's storage,
// and its keys and elements as siblings of that, below the map itself. Channels are
// alike.

package runtime

import (
	"internal/abi"
	"internal/goarch"
	"internal/profilerecord"
	"internal/runtime/maps"
	"unsafe"
)

// mapStorage fills in key for a reference from an object of a map to another of
// its own, and reports whether that is exact.
//
//go:nowritebarrierrec
func (e *refsEdge) mapStorage(from *refsNode, o *refsObject, key *refsKey) bool {
	role, size, ok := e.mapStorageRole(from, o)
	if !ok || e.val != o.data || !o.fitsRow(size) {
		key.kind = profilerecord.RefsUnknown
		return o.unknown(key)
	}
	key.kind, key.off, key.role, key.typ = profilerecord.RefsMapTable, 0, role, from.typ
	if from.role != profilerecord.RefsMap {
		key.parent = from.parent
	}
	return true
}

// mapStorageRole returns the role and size of what the word of e refers to in an
// object of node from. The size of arrays is that of an element.
//
//go:nowritebarrierrec
func (e *refsEdge) mapStorageRole(from *refsNode, o *refsObject) (role profilerecord.RefsRole, size uintptr, ok bool) {
	group := (*abi.MapType)(unsafe.Pointer(from.typ)).GroupSize
	switch from.role {
	case refsRoleDirectory:
		return refsRoleMapTable, maps.RefsTableSize, true
	case refsRoleMapTable:
		return refsRoleGroups, group, e.off == maps.RefsTableGroups
	}
	small := refsWord(e.slot-maps.RefsMapDirPtr+maps.RefsMapDirLen, e.slot) == 0
	o.check, o.seen = refsCheckDirLen, uintptr(bool2int(small))
	if small {
		return refsRoleGroups, group, e.off == maps.RefsMapDirPtr
	}
	return refsRoleDirectory, goarch.PtrSize, e.off == maps.RefsMapDirPtr
}

// mapGroup fills in key for a reference in a group of a map of type t.
//
//go:nowritebarrierrec
func (e *refsEdge) mapGroup(t *abi.MapType, o *refsObject, key *refsKey) bool {
	typ, indirect := t.Key, t.IndirectKey()
	key.kind = profilerecord.RefsMapKey
	isElem, off := refsGroupOffset(t, e.off)
	if isElem {
		key.kind = profilerecord.RefsMapValue
		typ, indirect = t.Elem, t.IndirectElem()
	}
	key.off = off
	if indirect {
		return o.pointee(typ, e.val, key)
	}
	s := refsSlotAt(typ, off)
	key.off = s.off
	return e.target(s, o, key)
}

// refsGroupOffset tells whether offset off of a group lies in an element or in a
// key, and at which offset of that.
//
//go:nowritebarrierrec
func refsGroupOffset(t *abi.MapType, off uintptr) (isElem bool, in uintptr) {
	if off < t.KeysOff || t.KeyStride == 0 && t.ElemStride == 0 {
		return false, 0
	}
	if t.ElemsOff < t.KeysOff+t.KeyStride { // slots of key and element
		in = (off - t.KeysOff) % t.KeyStride
		if elem := t.ElemsOff - t.KeysOff; in >= elem {
			return true, in - elem
		}
		return false, in
	}
	if off >= t.ElemsOff && t.ElemStride != 0 {
		return true, (off - t.ElemsOff) % t.ElemStride
	}
	return false, (off - t.KeysOff) % max(t.KeyStride, 1)
}

// mapIterator fills in key for a reference from an iterator over a map, which tells the
// map's type. The map may have other storage by now than the iterator refers to.
//
//go:nowritebarrierrec
func (e *refsEdge) mapIterator(o *refsObject, key *refsKey) bool {
	t := *(**_type)(unsafe.Pointer(e.slot - e.off + maps.RefsIterType))
	if !refsTypeOK(t) || t.Kind() != abi.Map {
		return o.unknown(key)
	}
	o.check = refsCheckNever // depends on the iterator's type
	key.off = maps.RefsIterMap
	if e.off == maps.RefsIterMap {
		return e.target(refsSlot{kind: refsSlotMap, typ: t}, o, key)
	}
	key.role, key.typ = profilerecord.RefsMap, uintptr(unsafe.Pointer(t))
	role, size := refsRoleGroups, (*abi.MapType)(unsafe.Pointer(t)).GroupSize
	if e.off == maps.RefsIterTable {
		role, size = refsRoleMapTable, maps.RefsTableSize
	}
	*key = refsKey{parent: refs.nodes.find(key), kind: profilerecord.RefsMapTable, role: role, typ: key.typ}
	return o.fitsRow(size) || o.unknown(key)
}

// chanStorage fills in key for a reference from a channel's own object.
//
//go:nowritebarrierrec
func (e *refsEdge) chanStorage(from *refsNode, o *refsObject, key *refsKey) bool {
	switch e.off {
	case unsafe.Offsetof(hchan{}.buf):
		key.kind, key.off, key.role, key.typ = profilerecord.RefsChanBuffer, 0, profilerecord.RefsBuffer, from.typ
		return true
	case unsafe.Offsetof(hchan{}.recvq), unsafe.Offsetof(hchan{}.sendq),
		unsafe.Offsetof(hchan{}.recvq) + goarch.PtrSize, unsafe.Offsetof(hchan{}.sendq) + goarch.PtrSize:
		key.kind, key.off = profilerecord.RefsChanWaiter, 0
		return o.pointee(refsPointee((*sudog)(nil)), e.val, key)
	}
	key.kind, key.off = profilerecord.RefsUnknown, 0
	return o.unknown(key)
}
