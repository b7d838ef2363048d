// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Maps, map iterators and channels.
//
// A map consists of a header, and of either one group or a directory. An empty
// map may have neither. The directory refers to tables, each of which has an
// array of groups. None of these objects has a type that determines the map's
// type, so the type comes from the reference to the header, or from an
// iterator. Groups, directories and tables appear as the map's storage. Keys
// and elements are siblings of the storage, below the map itself. Likewise, the
// type of a channel comes from the reference to it, and the elements of a
// channel are siblings of its buffer.

package refs

import (
	"internal/abi"
	"internal/profilerecord"
	"unsafe"
)

// mapStorage is Resolve for a reference between two objects that a map consists
// of.
func (ps *Paths) mapStorage(e *Edge, from *Node, o *Target, key *Key) bool {
	role, size, ok := ps.storageRole(e, from, o)
	if !ok || e.Val != o.Data || !ps.fitsRow(o, size) {
		key.Kind = profilerecord.RefsUnknown
		return ps.Unknown(o, key)
	}
	key.Kind, key.Place, key.Role, key.Type = profilerecord.RefsMapTable, 0, role, from.Type
	switch {
	case role == RoleTable:
		o.Extent = Extent{ExtentOne, size}
	case role == RoleDirectory:
		o.Extent = Extent{ExtentMany, size} // its length is behind the pointer
	case from.Role == profilerecord.RefsMap:
		o.Extent = Extent{ExtentGroup, entrySize(from.Type)}
	default:
		o.Extent = Extent{ExtentTable, entrySize(from.Type)}
	}
	if from.Role != profilerecord.RefsMap {
		key.Parent = from.Parent
	}
	return true
}

// entrySize returns the bytes that an entry takes in a map of type t, with its
// control byte. A group has 8 entries.
func entrySize(t uintptr) uintptr {
	return (*abi.MapType)(unsafe.Pointer(typeAt(t))).GroupSize / 8
}

// storageRole returns the role and the size in bytes of the object to which e
// refers. The parameter from is the node of the object that has the word of e.
// If the target is an array, size is the size of an element. ok is false if no
// word at this offset refers to the map's storage.
func (ps *Paths) storageRole(e *Edge, from *Node, o *Target) (role profilerecord.RefsRole, size uintptr, ok bool) {
	l := &ps.Layout
	group := (*abi.MapType)(unsafe.Pointer(typeAt(from.Type))).GroupSize
	switch from.Role {
	case RoleDirectory:
		return RoleTable, l.TableSize, true
	case RoleTable:
		return RoleGroups, group, e.Off == l.TableGroups
	}
	o.Check, o.Seen = CheckDirLen, 0
	if ps.Heap.Word(e.Slot-l.MapDir+l.MapDirLen, e.Slot) == 0 {
		o.Seen = 1
		return RoleGroups, group, e.Off == l.MapDir
	}
	return RoleDirectory, ptrSize, e.Off == l.MapDir
}

// mapGroup is Resolve for a reference in a group of a map of type t.
func (ps *Paths) mapGroup(e *Edge, t *abi.MapType, o *Target, key *Key) bool {
	typ, indirect := t.Key, t.IndirectKey()
	key.Kind = profilerecord.RefsMapKey
	g := GroupsOf(t)
	isElem, off := g.Offset(e.Off)
	if isElem {
		key.Kind = profilerecord.RefsMapValue
		typ, indirect = t.Elem, t.IndirectElem()
	}
	key.Place = off
	if indirect {
		return ps.Pointee(typ, e.Val, o, key)
	}
	s := ps.SlotAt(typ, off)
	key.Place = s.Off
	return ps.target(e, s, o, key)
}

// Groups is the layout of the groups of a map. A group has 8 keys and 8
// elements, either as slots of a key and an element, or first all keys and then
// all elements.
type Groups struct {
	Size                               uintptr
	Keys, KeyStride, Elems, ElemStride uintptr
}

// Offset reports whether an offset in a group is in an element, not in a key,
// and returns the offset in that element or key. g may have any numbers,
// because the type of a group can be mistaken.
func (g *Groups) Offset(off uintptr) (isElem bool, in uintptr) {
	if off < g.Keys {
		return false, 0
	}
	stride := max(g.KeyStride, 1)
	if g.Elems < g.Keys+g.KeyStride { // each slot has a key and an element
		in = (off - g.Keys) % stride
		if elem := g.Elems - g.Keys; in >= elem {
			return true, in - elem
		}
		return false, in
	}
	if off >= g.Elems && g.ElemStride != 0 {
		return true, (off - g.Elems) % g.ElemStride
	}
	return false, (off - g.Keys) % stride
}

// mapIterator is Resolve for a reference from an iterator over a map. The
// iterator has the map's type. All targets get paths through the iterator's
// reference to the map, although the map may by now have other storage than the
// iterator refers to.
func (ps *Paths) mapIterator(e *Edge, o *Target, key *Key) bool {
	l := &ps.Layout
	t := ps.Heap.TypeIn(ps.Heap.Word(e.Slot-e.Off+l.IterType, e.Slot))
	if t == nil || t.Kind() != abi.Map {
		return ps.Unknown(o, key)
	}
	o.Check = CheckNever // the key depends on the iterator's type word
	key.Place = l.IterMap
	if e.Off == l.IterMap {
		return ps.target(e, Slot{Kind: SlotMap, Type: addressOf(t)}, o, key)
	}
	key.Role, key.Type = profilerecord.RefsMap, addressOf(t)
	m := (*abi.MapType)(unsafe.Pointer(t))
	parent := ps.Find(key) // of the map
	switch {
	case e.Off == l.IterKey && m.IndirectKey():
		*key = Key{Parent: parent, Kind: profilerecord.RefsMapKey}
		return ps.Pointee(m.Key, e.Val, o, key)
	case e.Off == l.IterElem && m.IndirectElem():
		*key = Key{Parent: parent, Kind: profilerecord.RefsMapValue}
		return ps.Pointee(m.Elem, e.Val, o, key)
	}
	role, size := RoleGroups, m.GroupSize
	if e.Off == l.IterTable {
		role, size = RoleTable, l.TableSize
	}
	*key = Key{Parent: parent, Kind: profilerecord.RefsMapTable, Role: role, Type: key.Type}
	if role == RoleGroups && o.Size > MinHull {
		o.Extent.Form = ExtentOne // of no bytes: the table or the map says which are used
	}
	return ps.fitsRow(o, size) || ps.Unknown(o, key)
}

// chanStorage is Resolve for a reference from a channel.
func (ps *Paths) chanStorage(e *Edge, from *Node, o *Target, key *Key) bool {
	l := &ps.Layout
	switch e.Off {
	case l.ChanBuffer:
		key.Kind, key.Place, key.Role, key.Type = profilerecord.RefsChanBuffer, 0, profilerecord.RefsBuffer, from.Type
		o.Extent = Extent{ExtentBuffer, ps.elemSize(from.Type)}
		return true
	case l.ChanReceivers, l.ChanReceivers + ptrSize, l.ChanSenders, l.ChanSenders + ptrSize:
		key.Kind, key.Place = profilerecord.RefsChanWaiter, 0
		return ps.Pointee(typeAt(ps.Known.Sudog), e.Val, o, key)
	}
	key.Kind, key.Place = profilerecord.RefsUnknown, 0
	return ps.Unknown(o, key)
}

// elemSize returns the size of an element of a channel of type t.
func (ps *Paths) elemSize(t uintptr) uintptr {
	elem := (*abi.ChanType)(unsafe.Pointer(typeAt(t))).Elem
	if !ps.Heap.IsType(elem) {
		return 0
	}
	return elem.Size_
}
