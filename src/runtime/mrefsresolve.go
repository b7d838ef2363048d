// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Resolving a reference: the recorder finds the key of the target's node
// (mrefsnode.go) from the reference, the object that it reaches, and the type
// of the object or variable that holds the reference.
//
// A key is exact if the type of the target is known: from the static type of
// the reference, if the object can be of this type; from the words of an
// interface, a closure or a map iterator; or from the object's allocation
// header, unless the reference is a pointer or a slice of another static type.
// The key is not exact if the recorder knows that the word may be no pointer,
// or if the type word of an interface may be out of date. Nor is it exact if an
// object or a variable refers to a defer record: the record belongs to the
// frame that made it, so this reference should not be the first to claim it.
// References whose keys are not exact are followed after the others. If only
// the static type of such a reference suggests a type, the key has this type
// only if the object has no pointers where the type has none.
//
// A map consists of a header, and of either one group or a directory. An empty
// map may have neither. The directory refers to tables, each of which has an
// array of groups. None of these objects has a type that determines the map's
// type, so the type comes from the reference to the header, or from an
// iterator. Groups, directories and tables appear as the map's storage. Keys
// and elements are siblings of the storage, below the map itself. Likewise, the
// type of a channel comes from the reference to it, and the elements of a
// channel are siblings of its buffer.
//
// A sync.Pool has a poolLocal for each P. It also keeps the poolLocals from
// before the latest collection, its victims. A poolLocal has up to one item in
// itself, and other items in a chain of queues. The place of an item changes
// all the time and has no meaning. Therefore all items have the path of the
// item in a poolLocal itself.

package runtime

import (
	"internal/abi"
	"internal/goarch"
	"internal/profilerecord"
	"internal/runtime/atomic"
	"internal/runtime/gc"
	"internal/runtime/maps"
	"internal/vartable"
	"unsafe"
)

// refsEdge is a reference that is being followed.
type refsEdge struct {
	from uint32  // node of the object, variable, frame, finalizers or cleanups that have it; 0 if that is not known or not needed
	off  uintptr // offset of the word in the object or variable, folded by the node's stride; or a number that stands for a place (mrefsstack.go, mrefsspecial.go)
	slot uintptr // address of the word; the word may change
	val  uintptr // the word, as it was read

	page  *refsPage // of the target's page or, if meta is not 0, of the first page of its span; nil if there is none
	meta  refsMeta  // of the target's page, or 0
	index uint32    // of the target in its span
	word  uintptr   // address of the target's word for the number of its node (mrefspage.go), or 0 if it has none

	vars *refsVarCache // of the P that follows the reference; may be nil until resolve is called
}

// resolve fills in key for the reference e to object o, and reports whether the
// key is exact.
//
//go:nowritebarrierrec
func (e *refsEdge) resolve(o *refsObject, key *refsKey) bool {
	o.check, o.seen = refsCheckNone, 0
	from := refsNodes.at(e.from)
	*key = refsKey{parent: e.from, kind: profilerecord.RefsField, off: e.off}
	if e.from&refsLost != 0 {
		return o.unknown(key)
	}
	t := (*_type)(unsafe.Pointer(from.typ))
	switch from.role {
	case profilerecord.RefsObject:
		if t == nil {
			key.kind = profilerecord.RefsUnknown
			return o.typeless(key)
		}
		t = refsElem(t)
	case profilerecord.RefsVariable:
		if t = refsElem(t); t == refsPointee((*maps.Iter)(nil)) {
			return e.mapIterator(o, key)
		}
	case refsRoleDirect:
		key.parent, key.kind, key.off = 0, from.kind, from.off
	case profilerecord.RefsMap, refsRoleDirectory, refsRoleMapTable:
		return e.mapStorage(from, o, key)
	case refsRoleGroups:
		key.parent = from.parent
		return e.mapGroup((*abi.MapType)(unsafe.Pointer(t)), o, key)
	case profilerecord.RefsChan:
		return e.chanStorage(from, o, key)
	case profilerecord.RefsBuffer:
		key.parent, key.kind = from.parent, profilerecord.RefsChanElem
		t = (*chantype)(unsafe.Pointer(t)).Elem
	case profilerecord.RefsClosure:
		return e.captured(from.fn, o, key)
	default:
		key.kind = profilerecord.RefsUnknown
		return o.unknown(key)
	}
	s := refsSlotAt(t, e.off)
	if key.kind != from.kind || from.role != refsRoleDirect {
		key.off = s.off
	}
	from.foldPool(&s, key)
	return e.target(s, o, key)
}

// resolveVariable fills in key for the reference e to object o, and reports
// whether the key is exact. The reference is in variable v of a frame or
// closure. On entry key.parent is the node of the frame or closure, key.kind
// and key.off identify the variable, and e.off is the offset in the variable.
//
//go:nowritebarrierrec
func (e *refsEdge) resolveVariable(v *refsVar, o *refsObject, key *refsKey) bool {
	switch v.Form {
	case vartable.FormValue:
		if !refsTypeOK(v.typ()) {
			return o.unknown(key)
		}
		key.role, key.typ = profilerecord.RefsVariable, v.typed
		return e.resolveIn(key, o)
	case vartable.FormClosure:
		pc := *(*uintptr)(unsafe.Pointer(e.slot - e.off))
		if !refsIsEntry(pc) {
			return o.unknown(key)
		}
		key.role, key.fn = profilerecord.RefsClosure, pc
		return e.resolveIn(key, o)
	case vartable.FormIfaceData, vartable.FormEfaceData:
		return e.splitInterface(v, o, key)
	}
	exact := e.target(v.slot(), o, key)
	v.recordTypeArg(key)
	return exact
}

// resolveIn is resolve for a reference in the variable that key describes. It
// replaces key with the key of the reference.
//
//go:nowritebarrierrec
func (e *refsEdge) resolveIn(key *refsKey, o *refsObject) bool {
	in := *e
	in.from = refsNodes.find(key)
	if stride := refsNodes.strideOf(in.from); stride != 0 {
		in.off %= stride
	}
	return in.resolve(o, key)
}

// splitInterface is resolveVariable for a variable that is only the data word
// of an interface. The type word is another local, or is not in the frame. A
// local may still have the type word of an earlier value of the interface.
//
//go:nowritebarrierrec
func (e *refsEdge) splitInterface(v *refsVar, o *refsObject, key *refsKey) bool {
	if v.Itab == 0 {
		return o.unknown(key)
	}
	typeWord := e.slot + v.start() - v.itab() // both are locals
	d := refsDynamicType(v.slot().typ, *(*uintptr)(unsafe.Pointer(typeWord)))
	if d == nil {
		return o.unknown(key)
	}
	e.dynamic(d, o, key)
	return false
}

// v is a reference, and key is its key. If the type of v is a type argument,
// and the key's role is RefsObject, recordTypeArg notes the type in key.fn,
// where refsNode.recordVariable reads it.
//
//go:nowritebarrierrec
func (v *refsVar) recordTypeArg(key *refsKey) {
	if v.argument && key.role == profilerecord.RefsObject {
		key.fn = v.typed
	}
}

// captured is resolve for a reference in a closure of the function at pc.
//
//go:nowritebarrierrec
func (e *refsEdge) captured(pc uintptr, o *refsObject, key *refsKey) bool {
	key.kind = profilerecord.RefsCaptured
	v, ok := e.vars.findVar(findfunc(pc), vartable.PlaceCaptured, e.off, -1)
	if !ok {
		return o.unknown(key)
	}
	v.setCapturedTypeArg(e.slot-e.off, e.slot)
	key.off = v.start()
	in := *e
	in.off -= v.start()
	exact := in.resolveVariable(&v, o, key)
	if v.Dict.Known {
		o.check = refsCheckNever // the key depends on the closure's dictionary, too
	}
	return exact
}

// target fills in the fields of key that describe o, the target of the
// reference e, and reports whether the key is exact. s says which kind of
// reference e is, and of which type.
//
//go:nowritebarrierrec
func (e *refsEdge) target(s refsSlot, o *refsObject, key *refsKey) bool {
	if s.kind == refsSlotIface {
		word := refsWord(e.slot-goarch.PtrSize, e.slot)
		o.check, o.seen = refsCheckIface, word
		d := refsDynamicType(s.typ, word)
		if d == nil {
			return o.unknown(key)
		}
		return e.dynamic(d, o, key)
	}
	switch s.kind {
	case refsSlotPointer:
		exact := o.pointee(s.typ, e.val, key)
		if s.typ == refsPointee((*_defer)(nil)) { // scanstack reaches each record, which then belongs to the frame that made it
			o.check = refsCheckTypeless
			return false
		}
		return exact
	case refsSlotPool:
		refsPoolLocal.Store(uintptr(unsafe.Pointer(s.typ)))
		return o.pointee(s.typ, e.val, key)
	case refsSlotSlice:
		return e.array(s.typ, o, key)
	case refsSlotString:
		key.typ = uintptr(unsafe.Pointer(s.typ))
		return o.class.noscan() || o.unknown(key)
	case refsSlotMap:
		if e.val != o.data || o.size != roundupsize(maps.RefsMapSize, false) {
			return o.unknown(key)
		}
		key.role, key.typ = profilerecord.RefsMap, uintptr(unsafe.Pointer(s.typ))
		return true
	case refsSlotChan:
		if e.val != o.data || o.size < hchanSize {
			return o.unknown(key)
		}
		key.role, key.typ = profilerecord.RefsChan, uintptr(unsafe.Pointer(s.typ))
		return true
	case refsSlotFunc:
		return e.closure(o, key)
	case refsSlotIfaceType:
		key.role = profilerecord.RefsType
		return true
	case refsSlotUnsafe:
		return o.typeless(key)
	}
	return o.unknown(key)
}

// dynamic is target for interfaces that have a value of type d.
//
//go:nowritebarrierrec
func (e *refsEdge) dynamic(d *_type, o *refsObject, key *refsKey) bool {
	key.dyn = uintptr(unsafe.Pointer(d))
	if !d.IsDirectIface() {
		return o.pointee(d, e.val, key)
	}
	return e.target(refsDirect(d), o, key)
}

// refsDynamicType returns the type of the value in an interface of static type
// t, or nil if the type is not known. The parameter word is the first word of
// the interface.
//
//go:nowritebarrierrec
func refsDynamicType(t *_type, word uintptr) *_type {
	if len((*interfacetype)(unsafe.Pointer(t)).Methods) > 0 {
		if !refsItabOK(word) {
			return nil
		}
		word = uintptr(unsafe.Pointer((*itab)(unsafe.Pointer(word)).Type))
	}
	if d := (*_type)(unsafe.Pointer(word)); refsTypeOK(d) {
		return d
	}
	return nil
}

// array is target for slices with elements of type t.
//
//go:nowritebarrierrec
func (e *refsEdge) array(t *_type, o *refsObject, key *refsKey) bool {
	if !refsTypeOK(t) {
		return o.unknown(key)
	}
	key.typ = uintptr(unsafe.Pointer(refsElem(t)))
	if o.class.noscan() {
		return t.PtrBytes == 0 || o.unknown(key)
	}
	if h := o.header(); h != nil {
		return o.headed(h, t, e.val, key)
	}
	n := refsWord(e.slot+2*goarch.PtrSize, e.slot) * t.Size_
	o.check, o.stride, o.seen = refsCheckSlice, uint32(t.Size_), uintptr(bool2int(o.fits(n)))
	n += e.val - o.data
	if t.PtrBytes != 0 && o.fits(n) && (e.val-o.data)%t.Size_ == 0 {
		return true
	}
	return o.guess(t, e.val, key)
}

// closure is target for func values.
//
//go:nowritebarrierrec
func (e *refsEdge) closure(o *refsObject, key *refsKey) bool {
	pc := *(*uintptr)(unsafe.Pointer(o.data))
	if e.val != o.data || !refsIsEntry(pc) {
		return o.unknown(key)
	}
	o.check, o.seen = refsCheckFunc, pc
	if key.dyn != 0 {
		o.check = refsCheckNever // the key depends on the interface's type, too
	}
	key.role, key.fn = profilerecord.RefsClosure, pc
	return true
}

// refsIsEntry reports whether a function starts at pc. The first word of a
// closure is such a PC.
//
//go:nowritebarrierrec
func refsIsEntry(pc uintptr) bool {
	f := findfunc(pc)
	return f.valid() && f.entry() == pc
}

// mapStorage fills in key for a reference between two objects that a map
// consists of, and reports whether the key is exact.
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

// mapStorageRole returns the role and the size in bytes of the object to which
// e refers. The parameter from is the node of the object that has the word of
// e. If the target is an array, size is the size of an element. ok is false if
// no word at this offset refers to the map's storage.
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

// mapGroup fills in key for a reference in a group of a map of type t, and
// reports whether the key is exact.
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

// refsGroupOffset reports whether offset off of a group is in an element, not
// in a key, and returns the offset in that element or key. t may be any memory,
// because the type of a group can be mistaken.
//
//go:nowritebarrierrec
func refsGroupOffset(t *abi.MapType, off uintptr) (isElem bool, in uintptr) {
	if off < t.KeysOff {
		return false, 0
	}
	stride := max(t.KeyStride, 1)
	if t.ElemsOff < t.KeysOff+t.KeyStride { // each slot has a key and an element
		in = (off - t.KeysOff) % stride
		if elem := t.ElemsOff - t.KeysOff; in >= elem {
			return true, in - elem
		}
		return false, in
	}
	if off >= t.ElemsOff && t.ElemStride != 0 {
		return true, (off - t.ElemsOff) % t.ElemStride
	}
	return false, (off - t.KeysOff) % stride
}

// mapIterator fills in key for a reference from an iterator over a map, and
// reports whether the key is exact. The iterator has the map's type. All
// targets get paths through the iterator's reference to the map, although the
// map may by now have other storage than the iterator refers to.
//
//go:nowritebarrierrec
func (e *refsEdge) mapIterator(o *refsObject, key *refsKey) bool {
	t := *(**_type)(unsafe.Pointer(e.slot - e.off + maps.RefsIterType))
	if !refsTypeOK(t) || t.Kind() != abi.Map {
		return o.unknown(key)
	}
	o.check = refsCheckNever // the key depends on the iterator's type word
	key.off = maps.RefsIterMap
	if e.off == maps.RefsIterMap {
		return e.target(refsSlot{kind: refsSlotMap, typ: t}, o, key)
	}
	key.role, key.typ = profilerecord.RefsMap, uintptr(unsafe.Pointer(t))
	m := (*abi.MapType)(unsafe.Pointer(t))
	parent := refsNodes.find(key) // of the map
	switch {
	case e.off == maps.RefsIterKey && m.IndirectKey():
		*key = refsKey{parent: parent, kind: profilerecord.RefsMapKey}
		return o.pointee(m.Key, e.val, key)
	case e.off == maps.RefsIterElem && m.IndirectElem():
		*key = refsKey{parent: parent, kind: profilerecord.RefsMapValue}
		return o.pointee(m.Elem, e.val, key)
	}
	role, size := refsRoleGroups, m.GroupSize
	if e.off == maps.RefsIterTable {
		role, size = refsRoleMapTable, maps.RefsTableSize
	}
	*key = refsKey{parent: parent, kind: profilerecord.RefsMapTable, role: role, typ: key.typ}
	return o.fitsRow(size) || o.unknown(key)
}

// chanStorage fills in key for a reference from the hchan of a channel, and
// reports whether the key is exact.
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

// refsPoolLocal is the *_type of the objects that a sync.Pool refers to, or 0
// until a recording first finds such a reference. Any P that marks may set it.
var refsPoolLocal atomic.Uintptr

// Offsets in sync.poolLocal. It begins with an interface, which is the item,
// followed by the pointers to both ends of the chain. TestRefsPoolPaths checks
// them.
const (
	refsPoolItem  = goarch.PtrSize // data word of the interface
	refsPoolChain = 2 * goarch.PtrSize
)

// foldPool changes key, the key of the reference s, if the object that has the
// reference is part of a pool. The receiver is the node of that object. The
// pointers to both ends of a chain become one reference. An item in a queue
// gets the path of the item in a poolLocal itself.
//
//go:nowritebarrierrec
func (from *refsNode) foldPool(s *refsSlot, key *refsKey) {
	pool := refsPoolLocal.Load()
	if pool == 0 {
		return
	}
	switch {
	case from.typ == pool && s.kind == refsSlotPointer:
		key.off = refsPoolChain
	case s.kind == refsSlotIface && refsNodes.isPoolQueue(from):
		key.parent, key.off = refsNodes.at(from.parent).parent, refsPoolItem
	}
}

// isPoolQueue reports whether the objects of node are the arrays of items that
// elements of a pool's chain refer to.
//
//go:nowritebarrierrec
func (ns *refsNodeTable) isPoolQueue(node *refsNode) bool {
	elem := ns.at(node.parent)
	return elem.kind == profilerecord.RefsField && elem.off == refsPoolChain && ns.at(elem.parent).typ == refsPoolLocal.Load()
}

// pointee is target for pointers to type t. val is the pointer.
//
//go:nowritebarrierrec
func (o *refsObject) pointee(t *_type, val uintptr, key *refsKey) bool {
	if !refsTypeOK(t) {
		return o.unknown(key)
	}
	key.typ = uintptr(unsafe.Pointer(refsElem(t)))
	if h := o.header(); h != nil {
		return o.headed(h, t, val, key)
	}
	if enclosing := o.enclosing(t, val); enclosing != nil && val == o.data && o.fits(enclosing.Size_) && o.class.noscan() == (enclosing.PtrBytes == 0) {
		key.typ = uintptr(unsafe.Pointer(enclosing))
		return true
	}
	if o.class.noscan() != (t.PtrBytes == 0) {
		return o.unknown(key)
	}
	if val == o.data && o.fits(t.Size_) || o.class == tinySpanClass && t.Size_ < maxTinySize {
		return true
	}
	return o.guess(t, val, key)
}

// enclosing returns the type of the objects to which a pointer to t leads, if
// they are known to be of a larger type that begins with t. Otherwise it
// returns nil.
//
//go:nowritebarrierrec
func (o *refsObject) enclosing(t *_type, val uintptr) *_type {
	if t.Kind() != abi.Struct || !refsModuleType(uintptr(unsafe.Pointer(t))) {
		return nil
	}
	st := (*structtype)(unsafe.Pointer(t))
	if len(st.Fields) == 2 && toRType(t).pkgpath() == "time" {
		switch toRType(t).string() {
		case "time.Timer", "time.Ticker":
			return refsTimeTimer()
		}
	}
	return o.variant(st, val)
}

// variant returns the type of the object that begins with a t, if t is of this
// form: two fields of types [0]*T and [0]*U, followed by a byte that is 0 if
// the type is T, and 1 if it is U. The nodes of internal/sync.HashTrieMap are
// such objects. variant returns nil for other types, and for other values of
// the byte.
//
//go:nowritebarrierrec
func (o *refsObject) variant(t *structtype, val uintptr) *_type {
	if len(t.Fields) != 3 || t.Fields[2].Typ.Size_ != 1 {
		return nil
	}
	i := *(*uint8)(unsafe.Pointer(val))
	if i > 1 {
		return nil
	}
	typ := refsPhantomType(t.Fields[i].Typ)
	if typ != nil {
		o.check = refsCheckNever // the key depends on the byte
	}
	return typ
}

// headed sets the type in key to h, the type in the header of o. If generic
// code has allocated o, h may be a shape of t (see refsIsShapeOf); headed then
// sets the type to t. It reports whether the type is t and val points to the
// beginning of an element of o.
//
//go:nowritebarrierrec
func (o *refsObject) headed(h, t *_type, val uintptr, key *refsKey) bool {
	h, t = refsElem(h), refsElem(t)
	if h != t && refsIsShapeOf(h, t) {
		h = t
	}
	key.typ = uintptr(unsafe.Pointer(h))
	return h == t && (val-o.data)%h.Size_ == 0
}

// header returns the type in o's allocation header or, if o is large, in its
// span. It returns nil if there is none. If o is an array, this is the type of
// its elements.
//
//go:nowritebarrierrec
func (o *refsObject) header() *_type {
	if o.class.noscan() || heapBitsInSpan(o.size) {
		return nil
	}
	var t *_type
	if o.class.sizeclass() != 0 {
		t = *(**_type)(unsafe.Pointer(o.base))
	} else {
		t = o.mspan().largeType
	}
	if !refsTypeOK(t) || t.Size_ == 0 || t.PtrBytes == 0 {
		return nil
	}
	return t
}

// fits reports whether an allocation of n bytes would have o's size.
//
//go:nowritebarrierrec
func (o *refsObject) fits(n uintptr) bool {
	return refsFits(n, o.data-o.base, o.size, o.class)
}

// refsFits is fits for a slot of size bytes in a span of the class, with an
// allocation header of the given number of bytes.
//
//go:nowritebarrierrec
func refsFits(n, header, size uintptr, class spanClass) bool {
	if asanenabled {
		n += redZoneSize(n)
	}
	n += header
	if c := class.sizeclass(); c != 0 {
		return n <= size && n > uintptr(gc.SizeClassToSize[c-1])
	}
	return n <= size && size-n < pageSize
}

// fitsRow reports whether an allocation of n bytes times a power of two would
// have o's size.
//
//go:nowritebarrierrec
func (o *refsObject) fitsRow(n uintptr) bool {
	for ; n != 0 && n <= o.size; n *= 2 {
		if o.fits(n) {
			return true
		}
	}
	return false
}

// guess removes the type t from key unless it finds that o has pointers only
// where an array of t has pointers. It always returns false, because the key is
// not exact.
//
//go:nowritebarrierrec
func (o *refsObject) guess(t *_type, val uintptr, key *refsKey) bool {
	t = refsElem(t)
	if !refsTypeOK(t) || t.PtrBytes == 0 || t.Size_ < goarch.PtrSize || t.TFlag&abi.TFlagGCMaskOnDemand != 0 ||
		!heapBitsInSpan(o.size) || (val-o.data)%t.Size_ != 0 || !refsModuleType(uintptr(unsafe.Pointer(t))) {
		return o.unknown(key)
	}
	bits := o.mspan().heapBitsSmallForAddr(o.base)
	for w := uintptr(0); w < o.size/goarch.PtrSize; w++ {
		in := w % (t.Size_ / goarch.PtrSize)
		want := in < t.PtrBytes/goarch.PtrSize && *addb(t.GCData, in/8)>>(in%8)&1 != 0
		if (w+1)*goarch.PtrSize > o.size/t.Size_*t.Size_ {
			want = false
		}
		if have := bits>>w&1 != 0; have && !want {
			return o.unknown(key)
		}
	}
	key.untyped = false
	return false
}

// headerWord returns o's allocation header, or 0 if it has none.
//
//go:nowritebarrierrec
func (o *refsObject) headerWord() uintptr {
	if o.data == o.base {
		return 0
	}
	return *(*uintptr)(unsafe.Pointer(o.base))
}

// unknown makes key say that o has the type that header returns, and reports
// whether there is one. If there is none, key has no type.
//
//go:nowritebarrierrec
func (o *refsObject) unknown(key *refsKey) bool {
	key.role, key.typ, key.dyn, key.fn, key.untyped = profilerecord.RefsObject, 0, 0, 0, true
	if h := o.header(); h != nil {
		key.typ = uintptr(unsafe.Pointer(refsElem(h)))
		return true
	}
	return false
}

// typeless does what unknown does, but for references that never say anything
// about their targets, such as an unsafe.Pointer. The cache may keep the
// results.
//
//go:nowritebarrierrec
func (o *refsObject) typeless(key *refsKey) bool {
	if o.unknown(key) {
		return true
	}
	o.check = refsCheckTypeless
	return false
}
