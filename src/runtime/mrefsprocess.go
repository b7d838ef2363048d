// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The process as the rules of a recording see it (internal/runtime/refs).
//
// Package refs says by which path an object is named. It asks here for the
// memory, the types and the functions of the process. Memory changes while it
// is read, and a pointer may point to something other than its type says.
// Therefore the address of a type is checked before the type is read: it must
// be in a module's types, or in an object of the heap, where package reflect
// makes types. mrefsitab.go checks itabs.
//
// The functions run while marking, on the system stack, and take no locks. They
// have no write barriers, which the compiler does not check for a call of
// package refs. TestPointerless of that package checks that its records have no
// pointers.

package runtime

import (
	"internal/abi"
	"internal/goarch"
	"internal/runtime/gc"
	"internal/runtime/maps"
	"internal/runtime/refs"
	"unsafe"
)

// refsPaths is the tree of paths of the recording. Any P adds to it. It is empty
// while nothing is recorded.
var refsPaths = refs.Paths{
	Heap: (*refsProcess)(nil), // a pointer, because methods of values have wrappers
	Layout: refs.Layout{
		MapSize:       maps.RefsMapSize,
		MapDir:        maps.RefsMapDirPtr,
		MapDirLen:     maps.RefsMapDirLen,
		TableSize:     maps.RefsTableSize,
		TableGroups:   maps.RefsTableGroups,
		IterKey:       maps.RefsIterKey,
		IterElem:      maps.RefsIterElem,
		IterType:      maps.RefsIterType,
		IterMap:       maps.RefsIterMap,
		IterTable:     maps.RefsIterTable,
		ChanSize:      hchanSize,
		ChanBuffer:    unsafe.Offsetof(hchan{}.buf),
		ChanReceivers: unsafe.Offsetof(hchan{}.recvq),
		ChanSenders:   unsafe.Offsetof(hchan{}.sendq),
		MaxHeaderless: gc.MinSizeForMallocHeader,
		TinySize:      maxTinySize,
		RedZones:      asanenabled,
	},
}

// Package refs takes it that these are 0 (see refs.Layout).
const _ = -(maps.RefsMapUsed + maps.RefsTableUsed + unsafe.Offsetof(hchan{}.qcount))

// refsAllocPaths makes the tree of paths, and reports whether there is memory.
func refsAllocPaths() bool {
	refsSetKnown()
	return refsPaths.Make((*refsOffHeap)(nil))
}

// refsSetKnown sets the types that the rules mention.
func refsSetKnown() {
	refsPaths.Known = refs.Known{
		Byte:      uintptr(unsafe.Pointer(refsTypeOf(uint8(0)))),
		Iter:      uintptr(unsafe.Pointer(refsPointee((*maps.Iter)(nil)))),
		Defer:     uintptr(unsafe.Pointer(refsPointee((*_defer)(nil)))),
		Sudog:     uintptr(unsafe.Pointer(refsPointee((*sudog)(nil)))),
		TimeTimer: uintptr(unsafe.Pointer(refsPointee((*timeTimer)(nil)))),
		Timer:     uintptr(unsafe.Pointer(refsPointee((*timer)(nil)))),
		G:         uintptr(unsafe.Pointer(refsPointee((*g)(nil)))),
		M:         uintptr(unsafe.Pointer(refsPointee((*m)(nil)))),
		PaddedM:   uintptr(unsafe.Pointer(refsPointee((*mPadded)(nil)))),
		P:         uintptr(unsafe.Pointer(refsPointee((*p)(nil)))),
	}
}

// refsOffHeap is memory off the heap for records.
type refsOffHeap struct{}

//go:nowritebarrierrec
func (*refsOffHeap) Alloc(n uintptr) uintptr { return uintptr(refsSysAlloc(n)) }

//go:nowritebarrierrec
func (*refsOffHeap) Free(p, n uintptr) { refsSysFree(unsafe.Pointer(p), n) }

// refsProcess implements refs.Heap.
type refsProcess struct{}

//go:nowritebarrierrec
func (*refsProcess) Word(p, near uintptr) uintptr { return refsWord(p, near) }

//go:nowritebarrierrec
func (*refsProcess) Byte(p uintptr) uint8 { return *(*uint8)(unsafe.Pointer(p)) }

//go:nowritebarrierrec
func (*refsProcess) IsReadable(p, n uintptr) bool { return isReadable(unsafe.Pointer(p), n) }

//go:nowritebarrierrec
func (*refsProcess) TypeIn(word uintptr) *abi.Type {
	if t := (*_type)(unsafe.Pointer(word)); refsTypeOK(t) {
		return t
	}
	return nil
}

//go:nowritebarrierrec
func (h *refsProcess) ItabTypeIn(word uintptr) *abi.Type {
	if !refsItabOK(word) {
		return nil
	}
	return h.TypeIn(uintptr(unsafe.Pointer((*itab)(unsafe.Pointer(word)).Type)))
}

//go:nowritebarrierrec
func (*refsProcess) IsType(t *abi.Type) bool { return refsTypeOK(t) }

//go:nowritebarrierrec
func (*refsProcess) IsModuleType(t *abi.Type) bool { return refsModuleType(uintptr(unsafe.Pointer(t))) }

//go:nowritebarrierrec
func (*refsProcess) Name(t *abi.Type) string { return toRType(t).string() }

//go:nowritebarrierrec
func (*refsProcess) PkgPath(t *abi.Type) string { return toRType(t).pkgpath() }

//go:nowritebarrierrec
func (h *refsProcess) LargeType(base uintptr) *abi.Type {
	return h.TypeIn(uintptr(unsafe.Pointer(spanOfUnchecked(base).largeType)))
}

//go:nowritebarrierrec
func (*refsProcess) PointerBits(base uintptr) uint64 {
	return uint64(spanOfUnchecked(base).heapBitsSmallForAddr(base))
}

//go:nowritebarrierrec
func (*refsProcess) Padded(n uintptr) uintptr {
	if asanenabled {
		n += redZoneSize(n)
	}
	return n
}

// IsEntry reports whether a function starts at pc. The first word of a closure
// is such a PC.
//
//go:nowritebarrierrec
func (*refsProcess) IsEntry(pc uintptr) bool {
	f := findfunc(pc)
	return f.valid() && f.entry() == pc
}

// Captured implements refs.Heap. The parameter user is the *refsVarCache of the
// P.
//
//go:nowritebarrierrec
func (*refsProcess) Captured(user, pc, pos uintptr) (v refs.Variable, ok bool) {
	return (*refsVarCache)(unsafe.Pointer(user)).capturedAt(findfunc(pc), pos)
}

// Local implements refs.Heap. The parameter user is the *refsVarCache of the P,
// and frame is a *refsFrame.
//
//go:nowritebarrierrec
func (*refsProcess) Local(user, frame uintptr, place uint8, pos uintptr) (v refs.Variable, ok bool) {
	return (*refsFrame)(unsafe.Pointer(frame)).findVar((*refsVarCache)(unsafe.Pointer(user)), place, pos)
}

// CallAt implements refs.Heap. It leaves out the wrappers that paths leave out
// (runtime_expandFinalInlineFrame).
//
//go:nowritebarrierrec
func (*refsProcess) CallAt(pc uintptr, i int) (own uintptr, function string) {
	f := findfunc(pc - 1)
	if !f.valid() {
		return 0, ""
	}
	n := refsCalls(f, pc, -1, nil)
	if n == 0 && i == 0 {
		return pc, "" // a wrapper that calls nothing
	}
	if i >= n {
		return 0, ""
	}
	var call inlineFrame
	refsCalls(f, pc, n-1-i, &call)
	u, _ := newInlineUnwinder(f, call.pc)
	return call.pc + 1, u.srcFunc(call).name()
}

// refsCalls returns the number of calls in f at return PC pc, and sets call to
// call i of them, counted from the innermost.
//
//go:nowritebarrierrec
func refsCalls(f funcInfo, pc uintptr, i int, call *inlineFrame) (n int) {
	callee := abi.FuncIDNormal
	u, uf := newInlineUnwinder(f, pc-1)
	for ; uf.valid(); uf = u.next(uf) {
		id := u.srcFunc(uf).funcID
		if id != abi.FuncIDWrapper || !elideWrapperCalling(callee) {
			if n == i {
				*call = uf
			}
			n++
		}
		callee = id
	}
	return n
}

// refsElem returns the innermost type of elements if t is an array or an array
// of arrays, or t.
//
//go:nowritebarrierrec
func refsElem(t *_type) *_type { return (*_type)(unsafe.Pointer(refsPaths.Element(t))) }

// refsTypeOK reports whether t may be read as a type.
//
//go:nowritebarrierrec
func refsTypeOK(t *_type) bool {
	p := uintptr(unsafe.Pointer(t))
	return p != 0 && p%goarch.PtrSize == 0 && (refsModuleType(p) || refsHeapTypeOK(t))
}

// refsModuleType reports whether the aligned address p is among the type
// descriptors of a module, and the memory there could be a descriptor. Names
// lie among the descriptors, so the address alone does not decide.
//
//go:nowritebarrierrec
func refsModuleType(p uintptr) bool {
	for md := &firstmoduledata; md != nil; md = md.next {
		if p >= md.types && p+unsafe.Sizeof(_type{}) <= md.etypes {
			t := (*_type)(unsafe.Pointer(p))
			return refsSaneType(t) && md.refsHasName(t.Str) && (t.TFlag&abi.TFlagUncommon == 0 || md.refsHasPath(t))
		}
	}
	return false
}

// refsHasPath reports whether the type t could have a package path: what
// follows it is in md and has the offset of a name there, or 0.
//
//go:nowritebarrierrec
func (md *moduledata) refsHasPath(t *_type) bool {
	if md.etypes-uintptr(unsafe.Pointer(t)) < refsTypeSize(t.Kind())+unsafe.Sizeof(uncommontype{}) {
		return false
	}
	path := t.Uncommon().PkgPath
	return path == 0 || md.refsHasName(path)
}

// refsHasName reports whether md could have a name at the offset off. At
// another one, the runtime could not read the name, and would throw.
//
//go:nowritebarrierrec
func (md *moduledata) refsHasName(off nameOff) bool {
	length := uintptr(0)
	for i := uintptr(0); off > 0 && i < 4; i++ {
		at := md.types + uintptr(off) + 1 + i
		if at >= md.etypes {
			return false
		}
		b := *(*uint8)(unsafe.Pointer(at))
		length |= uintptr(b&0x7f) << (7 * i)
		if b&0x80 == 0 {
			return length > 0 && length < md.etypes-at
		}
	}
	return false
}

// refsSaneType reports whether the kind, sizes and alignment of t could be those
// of a type.
//
//go:nowritebarrierrec
func refsSaneType(t *_type) bool {
	return t.Kind() != 0 && t.Kind() <= abi.UnsafePointer && t.PtrBytes <= t.Size_ && t.Size_ < maxAlloc &&
		t.Align_ != 0 && t.Align_&(t.Align_-1) == 0 && t.FieldAlign_ != 0 && t.FieldAlign_&(t.FieldAlign_-1) == 0
}

// refsHeapTypeOK reports whether t may be a type that package reflect has made.
//
//go:nowritebarrierrec
func refsHeapTypeOK(t *_type) bool {
	if !isReadable(unsafe.Pointer(t), unsafe.Sizeof(*t)) {
		return false
	}
	p := uintptr(unsafe.Pointer(t))
	s := spanOfHeap(p)
	return s != nil && !s.spanclass.noscan() && refsSaneType(t) && isReadable(unsafe.Pointer(t), refsTypeSize(t.Kind()))
}

// refsTypeSize returns the size in bytes of the descriptors of types of a kind.
func refsTypeSize(k abi.Kind) uintptr {
	switch k {
	case abi.Pointer:
		return unsafe.Sizeof(ptrtype{})
	case abi.Slice:
		return unsafe.Sizeof(slicetype{})
	case abi.Array:
		return unsafe.Sizeof(arraytype{})
	case abi.Chan:
		return unsafe.Sizeof(chantype{})
	case abi.Struct:
		return unsafe.Sizeof(structtype{})
	case abi.Map:
		return unsafe.Sizeof(abi.MapType{})
	case abi.Interface:
		return unsafe.Sizeof(interfacetype{})
	case abi.Func:
		return unsafe.Sizeof(functype{})
	}
	return unsafe.Sizeof(_type{})
}

// refsPointee returns the type that v, a nil pointer, points to.
func refsPointee(v any) *_type {
	return (*ptrtype)(unsafe.Pointer(refsTypeOf(v))).Elem
}

// refsTypeOf returns the dynamic type of v. v must be a constant or a nil
// pointer, so that its conversion to an interface allocates nothing.
func refsTypeOf(v any) *_type {
	return efaceOf(&v)._type
}

// refsWord returns the word at p. If the recorder has the right type, the words
// at p and slot belong to the same value. If not, p may be on another page,
// which may not be mapped. refsWord therefore returns 0 if slot is in the heap,
// and p is on another page and not in the heap.
//
//go:nowritebarrierrec
func refsWord(p, slot uintptr) uintptr {
	if p/minPhysPageSize != slot/minPhysPageSize && spanOfHeap(slot) != nil && spanOfHeap(p) == nil {
		return 0
	}
	return *(*uintptr)(unsafe.Pointer(p))
}
