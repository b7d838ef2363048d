// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Variables of the test that calls testing/heaptest.
//
// testing/heaptest keeps what these variables refer to until the test has
// ended, because a cache to which only the test refers would be free by then,
// and its entries with it. A variable that a closure has captured is a
// variable, too, also if it is in a block of memory of its own.
//
// The frames are read on the system stack, so that the goroutine's stack does
// not move. The list does not grow there, because nothing may be allocated.

package runtime

import (
	"internal/abi"
	"internal/goarch"
	"internal/runtime/refs"
	"internal/stringslite"
	"internal/vartable"
	"unsafe"
)

// A heaptestVariable is a reference in a variable. testing/heaptest declares
// the same type.
type heaptestVariable struct {
	target         unsafe.Pointer
	typ            unsafe.Pointer // *_type
	form           uint8          // what typ is
	inside         bool           // the reference is in a struct or array
	hidden         bool           // the reference is in an object on the stack that is no variable
	function, name string
}

const (
	heaptestUnknown = iota // typ is nil
	heaptestPointer        // typ is the type of the target
	heaptestSlice          // typ is the type of the elements
	heaptestValue          // typ is the type of a value whose only word is target, or that is at target
)

// heaptestMaxDepth is the largest number of closures and captured variables on
// the way from a frame to a reference.
const heaptestMaxDepth = 8

type heaptestVariables struct {
	list []heaptestVariable
	n    int // number of references, also if list is too short

	frame   stkframe
	pending int
	objects [64]uintptr // addresses in the objects on the stack to which references lead
	known   int
	bases   [64]uintptr      // addresses of the objects that have been scanned
	name    heaptestVariable // function, name and inside
}

// heaptest_variables returns the references in the live variables of the
// calling goroutine. Frames of packages runtime, testing and testing/heaptest do
// not count.
//
//go:linkname heaptest_variables
func heaptest_variables() []heaptestVariable {
	return heaptestCollect(func(vs *heaptestVariables, gp *g) {
		var u unwinder
		for u.init(gp, unwindSilentErrors); u.valid(); u.next() {
			vs.frame = u.frame
			vs.addFrame(gp)
		}
		for i := 0; i < vs.pending; i++ {
			for u.init(gp, unwindSilentErrors); u.valid(); u.next() {
				vs.frame = u.frame
				vs.addStackObject(gp, vs.objects[i])
			}
		}
	})
}

// heaptest_captured returns the references in the variables that a closure has
// captured. The parameter is the func value.
//
//go:linkname heaptest_captured
func heaptest_captured(closure unsafe.Pointer) []heaptestVariable {
	list := heaptestCollect(func(vs *heaptestVariables, _ *g) {
		vs.name.function = funcname(findfunc((*funcval)(closure).fn))
		vs.addClosure(uintptr(closure), 0)
	})
	KeepAlive(closure)
	return list
}

// heaptest_fields returns the references in the object at p, of type t.
//
//go:linkname heaptest_fields
func heaptest_fields(p unsafe.Pointer, t unsafe.Pointer) []heaptestVariable {
	list := heaptestCollect(func(vs *heaptestVariables, _ *g) {
		typ := (*_type)(t)
		for off := uintptr(0); off < typ.PtrBytes; off += goarch.PtrSize {
			vs.add(refsPaths.SlotAt(typ, off), uintptr(p)+off, heaptestMaxDepth)
		}
	})
	KeepAlive(p)
	return list
}

// heaptestCollect runs find on the system stack, again with a longer list if it
// finds more references than the list has room for.
//
// find follows the goroutine's stack from where systemstack has left it, because a
// stack pointer that is read before may be that of a stack that has moved.
func heaptestCollect(find func(vs *heaptestVariables, gp *g)) []heaptestVariable {
	refsSetKnown()
	gp := getg()
	vs := &heaptestVariables{}
	for {
		systemstack(func() { find(vs, gp) })
		if vs.n <= len(vs.list) {
			return vs.list[:vs.n]
		}
		vs = &heaptestVariables{list: make([]heaptestVariable, 2*vs.n)}
	}
}

// addFrame adds the references in the variables of a frame.
func (vs *heaptestVariables) addFrame(gp *g) {
	f := &vs.frame
	vs.name.function = funcname(f.fn)
	if heaptestIsOwn(vs.name.function) {
		return
	}
	locals, args, _ := f.getStackMap(false)
	for i := range uintptr(args.n) {
		if args.ptrbit(i) != 0 {
			vs.addWord(gp, f.argp+i*goarch.PtrSize, true)
		}
	}
	base := f.varp - uintptr(locals.n)*goarch.PtrSize
	for i := range uintptr(locals.n) {
		if locals.ptrbit(i) != 0 {
			vs.addWord(gp, base+i*goarch.PtrSize, false)
		}
	}
}

// heaptestIsOwn reports whether a function is of a package whose variables are
// not the test's.
func heaptestIsOwn(function string) bool {
	for _, pkg := range [...]string{"runtime.", "testing.", "testing/heaptest."} {
		if stringslite.HasPrefix(function, pkg) {
			return true
		}
	}
	return false
}

// addWord adds the reference in the word of the frame at p. If it refers to an
// object on the stack, this object is scanned later.
func (vs *heaptestVariables) addWord(gp *g, p uintptr, arg bool) {
	slot := vs.slotAt(p, arg)
	val := *(*uintptr)(unsafe.Pointer(p))
	if val < gp.stack.lo || val >= gp.stack.hi {
		vs.add(slot, p, 0)
	} else if vs.pending < len(vs.objects) {
		vs.objects[vs.pending] = val
		vs.pending++
	}
}

// addStackObject adds the references in the object of the frame to which p
// points, if it is in the frame.
func (vs *heaptestVariables) addStackObject(gp *g, p uintptr) {
	_, _, objs := vs.frame.getStackMap(false)
	for i := range objs {
		o := &objs[i]
		base := vs.frame.varp
		if o.off >= 0 {
			base = vs.frame.argp
		}
		base += uintptr(o.off)
		if p < base || p >= base+uintptr(o.size) || vs.scanned(base) {
			continue
		}
		bytes, mask := o.gcdata()
		for off := uintptr(0); off < bytes; off += goarch.PtrSize {
			if bit := off / goarch.PtrSize; *addb(mask, bit/8)>>(bit%8)&1 != 0 {
				vs.addWord(gp, base+off, o.off >= 0)
			}
		}
	}
}

// scanned reports whether the stack object at base has been scanned, and
// remembers it.
func (vs *heaptestVariables) scanned(base uintptr) bool {
	for _, b := range vs.bases[:vs.known] {
		if b == base {
			return true
		}
	}
	if vs.known == len(vs.bases) {
		return true
	}
	vs.bases[vs.known] = base
	vs.known++
	return false
}

// slotAt returns the reference in the word of the frame at p, and describes its
// variable.
func (vs *heaptestVariables) slotAt(p uintptr, arg bool) refs.Slot {
	f := &vs.frame
	place, pos := uint8(vartable.PlaceLocal), f.varp-p
	if arg {
		place, pos = vartable.PlaceArg, p-f.argp
	}
	vs.name = heaptestVariable{function: funcname(f.fn), inside: true, hidden: true}
	v, ok := refsFindVar(f.fn, place, pos, refsStackMap(f.fn, f.continpc))
	if !ok {
		return refs.Slot{Kind: refs.SlotUnsafe}
	}
	refsPaths.SetArgument(&v, f.argp, f.varp)
	off := v.Start() - pos
	if arg {
		off = pos - v.Start()
	}
	vs.name.name = heaptestName(&v)
	vs.name.inside = v.Form == vartable.FormValue || v.Form == vartable.FormMapHeader || v.Form == vartable.FormMapGroup
	vs.name.hidden = vs.name.inside && vs.name.name == "" && !heaptestIsInterfaces(&v)
	switch v.Form {
	case vartable.FormClosure:
		if c, ok := refsFindVar(findfunc(*(*uintptr)(unsafe.Pointer(p - off))), vartable.PlaceCaptured, off, -1); ok {
			return heaptestSlot(&c, off-c.Start())
		}
		return refs.Slot{Kind: refs.SlotUnsafe}
	case vartable.FormEfaceData, vartable.FormIfaceData:
		if v.Itab == 0 {
			return refs.Slot{Kind: refs.SlotUnsafe}
		}
		return heaptestDynamic(refsPaths.VariableSlot(&v).Kind, f.varp-uintptr(v.Itab)*goarch.PtrSize)
	}
	return heaptestSlot(&v, off)
}

// heaptestIsInterfaces reports whether v is an array of interfaces, as the compiler
// makes for the arguments of a call.
func heaptestIsInterfaces(v *refs.Variable) bool {
	typ := (*_type)(unsafe.Pointer(v.Type))
	t := refsElem(typ)
	return t != typ && refsTypeOK(t) && t.Kind() == abi.Interface
}

// heaptestName returns the name of v without the inlined function that has it.
func heaptestName(v *refs.Variable) string {
	name := refsVarName(v)
	if name != "" && name[0] < ' ' {
		name = name[1:]
	}
	return name
}

// heaptestSlot returns the reference at an offset of v.
func heaptestSlot(v *refs.Variable, off uintptr) refs.Slot {
	switch v.Form {
	case vartable.FormValue:
		return refsPaths.SlotAt((*_type)(unsafe.Pointer(v.Type)), off)
	case vartable.FormMapHeader:
		return refs.Slot{Kind: refs.SlotUnsafe}
	case vartable.FormMapGroup:
		if t := (*_type)(unsafe.Pointer(v.Type)); refsTypeOK(t) && t.Kind() == abi.Map {
			return refsPaths.SlotAt((*abi.MapType)(unsafe.Pointer(t)).Group, off)
		}
		return refs.Slot{Kind: refs.SlotUnsafe}
	}
	if s := refsPaths.VariableSlot(v); !s.Kind.IsInterface() || off != 0 {
		return s
	}
	return refs.Slot{}
}

// heaptestRefersAt reports whether the word at an offset of v is a reference. Other words
// of an object, such as those behind its last variable, may have any contents.
func heaptestRefersAt(v *refs.Variable, off uintptr) bool {
	switch {
	case v.Form == vartable.FormValue:
		t := (*_type)(unsafe.Pointer(v.Type))
		return refsTypeOK(t) && off < t.PtrBytes
	case refsPaths.VariableSlot(v).Kind.IsInterface():
		return off == goarch.PtrSize
	}
	return off == 0
}

// heaptestDynamic returns the reference in the data word of an interface of a
// kind whose type word is at p.
func heaptestDynamic(kind refs.SlotKind, p uintptr) refs.Slot {
	d := refsPaths.DynamicType(kind, *(*uintptr)(unsafe.Pointer(p)))
	switch {
	case d == nil:
		return refs.Slot{Kind: refs.SlotUnsafe}
	case d.IsDirectIface():
		return refsPaths.SlotAt(d, 0)
	}
	return refs.Slot{Kind: refs.SlotPointer, Type: uintptr(unsafe.Pointer(d))}
}

// add adds the reference in the word at p. If it refers to a closure, or to a
// block that is one reference, it adds the references in these, because they
// are captured variables.
func (vs *heaptestVariables) add(slot refs.Slot, p uintptr, depth int) {
	val := *(*uintptr)(unsafe.Pointer(p))
	if slot.Kind.IsInterface() {
		slot = heaptestDynamic(slot.Kind, p-goarch.PtrSize)
	}
	base, s, _ := findObject(val, 0, 0)
	if base == 0 || slot.Kind == refs.SlotNone {
		return
	}
	typ := (*_type)(unsafe.Pointer(slot.Type))
	switch {
	case depth < heaptestMaxDepth && slot.Kind == refs.SlotFunc:
		vs.addClosure(val, depth)
		return
	case depth < heaptestMaxDepth && slot.Kind == refs.SlotPointer && refsTypeOK(typ) && typ.Pointers() &&
		typ.Size_ >= s.elemsize && refsPaths.IsOneReference(typ):
		off := typ.PtrBytes - goarch.PtrSize
		vs.add(refsPaths.SlotAt(typ, off), val+off, depth+1)
		return
	}
	v := vs.name
	v.target = unsafe.Pointer(val)
	v.form, v.typ = heaptestForm(slot)
	if vs.n < len(vs.list) {
		vs.list[vs.n] = v
	}
	vs.n++
}

// heaptestForm returns the form and the type of a reference.
func heaptestForm(slot refs.Slot) (form uint8, typ unsafe.Pointer) {
	if !refsTypeOK((*_type)(unsafe.Pointer(slot.Type))) {
		return heaptestUnknown, nil
	}
	switch slot.Kind {
	case refs.SlotPointer:
		form = heaptestPointer
	case refs.SlotSlice, refs.SlotString:
		form = heaptestSlice
	case refs.SlotMap, refs.SlotChan:
		form = heaptestValue
	default:
		return heaptestUnknown, nil
	}
	return form, unsafe.Pointer(slot.Type)
}

// addClosure adds the references that the closure at p has captured.
func (vs *heaptestVariables) addClosure(p uintptr, depth int) {
	base, s, _ := findObject(p, 0, 0)
	if base != p {
		return
	}
	fn := findfunc(*(*uintptr)(unsafe.Pointer(p)))
	name := vs.name
	for off := uintptr(goarch.PtrSize); off < s.elemsize; off += goarch.PtrSize {
		if v, ok := refsFindVar(fn, vartable.PlaceCaptured, off, -1); ok && heaptestRefersAt(&v, off-v.Start()) {
			refsPaths.SetCapturedArgument(&v, p, p+off)
			vs.name.function, vs.name.name, vs.name.inside = funcname(fn), heaptestName(&v), v.Form == vartable.FormValue
			vs.add(heaptestSlot(&v, off-v.Start()), p+off, depth+1)
		}
	}
	vs.name = name
}
