// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file resolves references, as the recorder does: from a reference and its
// target, it finds the key of the target's node (see key in node.go).
// runtime/mrefsresolve.go explains this, and which keys are exact.

package core

import (
	"internal/abi"
	"internal/profilerecord"
	"internal/vartable"
)

// A resolver finds the nodes of references.
type resolver struct {
	*process
	nodes *nodeTable
}

// An edge is a reference that is being followed.
type edge struct {
	from uint32 // node of the object, variable or root that has the reference; 0 for a word of a stack, or one that was saved for its goroutine
	off  uint64 // offset of the word in the object, variable or root, folded by the node's stride
	at   uint64 // address of the word
	val  uint64
}

// resolve fills in k, the key of the node of o, to which e leads, and reports
// whether k is exact.
func (rs *resolver) resolve(e *edge, o *object, k *key) bool {
	*k = key{parent: e.from, kind: profilerecord.RefsField, off: e.off}
	if e.from&lostNode != 0 {
		return rs.unknown(o, k)
	}
	from := rs.nodes.at(e.from)
	t := from.typ
	switch from.role {
	case profilerecord.RefsObject:
		if t == nil {
			k.kind = profilerecord.RefsUnknown
			return rs.unknown(o, k)
		}
		t = element(t)
	case profilerecord.RefsVariable:
		if t = element(t); t != nil && t == rs.known.iter {
			return rs.mapIterator(e, o, k)
		}
	case roleDirect:
		k.parent, k.kind, k.off = 0, from.kind, from.off
	case profilerecord.RefsMap, roleDirectory, roleTable:
		return rs.mapStorage(e, from, o, k)
	case roleGroups:
		k.parent = from.parent
		return rs.mapGroup(e, t, o, k)
	case profilerecord.RefsChan:
		return rs.chanStorage(e, from, o, k)
	case profilerecord.RefsBuffer:
		k.parent, k.kind = from.parent, profilerecord.RefsChanElem
		t = t.elemType()
	case profilerecord.RefsClosure:
		return rs.captured(e, from.fn, o, k)
	default:
		k.kind = profilerecord.RefsUnknown
		return rs.unknown(o, k)
	}
	s := t.slotAt(e.off)
	if k.kind != from.kind || from.role != roleDirect {
		k.off = s.off
	}
	rs.foldPool(from, &s, k)
	return rs.target(e, s, o, k)
}

// resolveVariable is resolve for a reference in variable v of a frame or
// closure. k.parent is the node of the frame or closure, and e.off is the
// offset in the variable.
func (rs *resolver) resolveVariable(e *edge, v *variable, o *object, k *key) bool {
	switch v.Form {
	case vartable.FormValue:
		if v.typ == nil {
			return rs.unknown(o, k)
		}
		k.role, k.typ = profilerecord.RefsVariable, v.typ
		return rs.resolveIn(e, k, o)
	case vartable.FormClosure:
		pc := rs.word(e.at - e.off)
		if !rs.isEntry(pc) {
			return rs.unknown(o, k)
		}
		k.role, k.fn = profilerecord.RefsClosure, pc
		return rs.resolveIn(e, k, o)
	case vartable.FormIfaceData, vartable.FormEfaceData:
		if v.Itab == 0 {
			return rs.unknown(o, k)
		}
		d := rs.dynamicType(v.Form == vartable.FormIfaceData, rs.word(e.at+v.start()-uint64(v.Itab)*wordSize))
		if d == nil {
			return rs.unknown(o, k)
		}
		rs.dynamic(e, d, o, k)
		return false
	}
	exact := rs.target(e, v.slot(rs.process), o, k)
	if v.argument && k.role == profilerecord.RefsObject {
		k.arg = v.typ
	}
	return exact
}

// resolveIn is resolve for a reference in the variable whose key is k.
func (rs *resolver) resolveIn(e *edge, k *key, o *object) bool {
	in := *e
	in.from = rs.nodes.find(k)
	if in.from&lostNode == 0 {
		if stride := rs.nodes.at(in.from).stride; stride != 0 {
			in.off %= stride
		}
	}
	return rs.resolve(&in, o, k)
}

// captured is resolve for a reference in a closure of the function at pc.
func (rs *resolver) captured(e *edge, pc uint64, o *object, k *key) bool {
	k.kind = profilerecord.RefsCaptured
	v, ok := rs.findVariable(rs.functionAt(pc), vartable.PlaceCaptured, e.off, -1)
	if !ok {
		return rs.unknown(o, k)
	}
	if v.Dict.Known && v.Dict.Place == vartable.PlaceCaptured {
		rs.setTypeArg(&v, rs.word(e.at-e.off+uint64(v.Dict.Position)*wordSize))
	}
	k.off = v.start()
	in := *e
	in.off -= v.start()
	return rs.resolveVariable(&in, &v, o, k)
}

// target fills in the fields of k that describe o, to which the reference s
// leads, and reports whether they are exact.
func (rs *resolver) target(e *edge, s slot, o *object, k *key) bool {
	switch s.kind {
	case slotIface:
		d := rs.dynamicType(s.methods, rs.word(e.at-wordSize))
		if d == nil {
			return rs.unknown(o, k)
		}
		return rs.dynamic(e, d, o, k)
	case slotPointer:
		exact := rs.pointee(o, s.typ, e.val, k)
		return exact && (s.typ == nil || s.typ != rs.known.defers) // each record of a defer is also reached at the frame that made it, and belongs there
	case slotPool:
		rs.nodes.pool = s.typ
		return rs.pointee(o, s.typ, e.val, k)
	case slotSlice:
		return rs.array(e, s.typ, o, k)
	case slotString:
		k.typ = s.typ
		return o.s.noscan || rs.unknown(o, k)
	case slotMap:
		if e.val != o.data || !o.hasSizeOf(rs.off(profilerecord.CoreMapSize)) {
			return rs.unknown(o, k)
		}
		k.role, k.typ = profilerecord.RefsMap, s.typ
		return true
	case slotChan:
		if e.val != o.data || o.s.slotSize < rs.off(profilerecord.CoreChanSize) {
			return rs.unknown(o, k)
		}
		k.role, k.typ = profilerecord.RefsChan, s.typ
		return true
	case slotFunc:
		return rs.closure(e, o, k)
	case slotIfaceType:
		k.role = profilerecord.RefsType
		return true
	}
	return rs.unknown(o, k)
}

// hasSizeOf reports whether o has no allocation header, and is in the smallest
// slot for n bytes.
func (o *object) hasSizeOf(n uint64) bool { return o.s.header == 0 && o.fits(n) }

// dynamicType returns the type of the value in an interface, or nil. word is
// the interface's first word, and methods is set if the interface type has
// methods.
func (rs *resolver) dynamicType(methods bool, word uint64) *Type {
	if methods {
		return rs.itabType(word)
	}
	return rs.typeAt(word)
}

// dynamic is target for interfaces that have a value of type d.
func (rs *resolver) dynamic(e *edge, d *Type, o *object, k *key) bool {
	k.dyn = d
	if !d.isDirect() {
		return rs.pointee(o, d, e.val, k)
	}
	return rs.target(e, d.slotAt(0), o, k)
}

// array is target for slices with elements of type t.
func (rs *resolver) array(e *edge, t *Type, o *object, k *key) bool {
	if t == nil {
		return rs.unknown(o, k)
	}
	k.typ = element(t)
	if o.s.noscan {
		return t.ptrBytes == 0 || rs.unknown(o, k)
	}
	if h := rs.header(o); h != nil {
		return o.headed(h, t, e.val, k)
	}
	n := rs.word(e.at+2*wordSize)*t.size + e.val - o.data
	if t.ptrBytes != 0 && o.fits(n) && (e.val-o.data)%t.size == 0 {
		return true
	}
	return rs.guess(o, t, e.val, k)
}

// closure is target for func values.
func (rs *resolver) closure(e *edge, o *object, k *key) bool {
	pc := rs.word(o.data)
	if e.val != o.data || !rs.isEntry(pc) {
		return rs.unknown(o, k)
	}
	k.role, k.fn = profilerecord.RefsClosure, pc
	return true
}

// isEntry reports whether a function starts at pc.
func (p *process) isEntry(pc uint64) bool {
	f := p.functionAt(pc)
	return f != nil && f.entry == pc
}

// pointee is target for pointers to type t.
func (rs *resolver) pointee(o *object, t *Type, val uint64, k *key) bool {
	if t == nil {
		return rs.unknown(o, k)
	}
	k.typ = element(t)
	if h := rs.header(o); h != nil {
		return o.headed(h, t, val, k)
	}
	if enclosing := rs.enclosing(t, val); enclosing != nil && val == o.data && o.fits(enclosing.size) && o.s.noscan == (enclosing.ptrBytes == 0) {
		k.typ = enclosing
		return true
	}
	if o.s.noscan != (t.ptrBytes == 0) {
		return rs.unknown(o, k)
	}
	if val == o.data && o.fits(t.size) || rs.isTiny(o) && t.size < rs.off(profilerecord.CoreTinySize) {
		return true
	}
	return rs.guess(o, t, val, k)
}

// isTiny reports whether o may be a block of tiny objects.
func (rs *resolver) isTiny(o *object) bool {
	return o.s.noscan && o.s.class != 0 && o.s.slotSize == rs.off(profilerecord.CoreTinySize)
}

// enclosing returns the type of the objects to which a pointer to t leads, if
// they are known to be of a larger type that begins with t.
func (rs *resolver) enclosing(t *Type, val uint64) *Type {
	if t.kind != abi.Struct || t.m == nil {
		return nil
	}
	fields := t.structFields()
	if len(fields) == 2 && (t.is("time", "Timer") || t.is("time", "Ticker")) {
		return rs.known.timeTimer
	}
	// The nodes of internal/sync.HashTrieMap have a byte that shows which
	// of two types they are.
	if len(fields) != 3 || fields[2].typ.size != 1 {
		return nil
	}
	if i := rs.uint8(val); i <= 1 {
		return fields[i].typ.phantomType()
	}
	return nil
}

// headed sets the type in k to h, the type in the header of o. If generic code
// has allocated o, h may be a shape of t; headed then sets the type to t.
// headed reports whether the type is t and val points to the start of an
// element of o.
func (o *object) headed(h, t *Type, val uint64, k *key) bool {
	h, t = element(h), element(t)
	if h != t && h.isShapeOf(t) {
		h = t
	}
	k.typ = h
	return h == t && (val-o.data)%h.size == 0
}

// guess removes the type t from k unless it finds that o has pointers only
// where an array of t has pointers. It always returns false, because k is not
// exact.
func (rs *resolver) guess(o *object, t *Type, val uint64, k *key) bool {
	t = element(t)
	if t == nil || t.ptrBytes == 0 || t.size < wordSize || t.flags&abi.TFlagGCMaskOnDemand != 0 || t.m == nil ||
		o.s.slotSize > rs.off(profilerecord.CoreMaxHeaderless) || (val-o.data)%t.size != 0 {
		return rs.unknown(o, k)
	}
	bits, mask := o.smallBits(), t.mask()
	for w := range o.s.slotSize / wordSize {
		in := w % (t.size / wordSize)
		want := in < t.ptrBytes/wordSize && bit(mask, in) && (w+1)*wordSize <= o.s.slotSize/t.size*t.size
		if bits>>w&1 != 0 && !want {
			return rs.unknown(o, k)
		}
	}
	k.untyped = false
	return false
}

// unknown makes k say that o has the type in its allocation header or, if o is
// large, in its span. It reports whether there is such a type. If there is
// none, k has no type.
func (rs *resolver) unknown(o *object, k *key) bool {
	k.role, k.typ, k.dyn, k.fn, k.arg, k.untyped = profilerecord.RefsObject, nil, nil, 0, nil, true
	if h := rs.header(o); h != nil {
		k.typ = element(h)
		return true
	}
	return false
}
