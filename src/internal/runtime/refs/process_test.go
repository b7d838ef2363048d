// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package refs_test

import (
	"fmt"
	"internal/abi"
	"internal/goarch"
	"internal/profilerecord"
	"internal/runtime/gc"
	"internal/runtime/maps"
	. "internal/runtime/refs"
	"reflect"
	"runtime"
	"testing"
	"unsafe"
)

const ptrSize = goarch.PtrSize

// A process is a process whose heap the test has made: Go values, each of which
// the test adds as an object. It implements Heap and Memory.
type process struct {
	Paths
	objects    []Target
	large      map[uintptr]*abi.Type  // types of large objects
	pointers   map[uintptr]uint64     // bits of objects
	captured   map[uintptr][]Variable // by the entry PC of closures
	locals     []Variable
	calls      map[uintptr][]call   // by return PC
	unreadable map[uintptr]bool     // addresses that closures must not have
	words      map[uintptr]uintptr  // words that differ from those in memory
	names      map[*abi.Type]string // names that differ from those of types
	madeType   *abi.Type            // as of package reflect
	nodes      []uint32             // nodes of the last walk
	room       uintptr              // number of bytes that Alloc may still give out
	first      uintptr              // size of the first memory that Alloc gave out
	kept       []any
}

func newProcess() *process {
	p := &process{
		large: make(map[uintptr]*abi.Type), pointers: make(map[uintptr]uint64), captured: make(map[uintptr][]Variable),
		words: make(map[uintptr]uintptr), unreadable: make(map[uintptr]bool), names: make(map[*abi.Type]string),
		room: unsafe.Sizeof(arena),
	}
	p.Heap = p
	p.Layout = Layout{
		MapSize: maps.RefsMapSize, MapDir: maps.RefsMapDirPtr, MapDirLen: maps.RefsMapDirLen,
		TableSize: maps.RefsTableSize, TableGroups: maps.RefsTableGroups,
		IterKey: unsafe.Offsetof(iterator{}.key), IterElem: unsafe.Offsetof(iterator{}.elem), IterType: unsafe.Offsetof(iterator{}.typ),
		IterMap: unsafe.Offsetof(iterator{}.m), IterTable: unsafe.Offsetof(iterator{}.table),
		ChanSize: unsafe.Sizeof(channel{}), ChanBuffer: unsafe.Offsetof(channel{}.buffer),
		ChanReceivers: unsafe.Offsetof(channel{}.receivers), ChanSenders: unsafe.Offsetof(channel{}.senders),
		MaxHeaderless: gc.MinSizeForMallocHeader, TinySize: 16,
	}
	p.Known = Known{
		Byte: typeFor[uint8](), Iter: typeFor[iterator](), Defer: typeFor[deferRecord](), Sudog: typeFor[waiter](), TimeTimer: typeFor[timer](),
	}
	if !p.Make(p) {
		panic("no memory")
	}
	return p
}

// Objects of the runtime, as a hand-made process has them.
type (
	iterator struct {
		key, elem unsafe.Pointer
		typ       unsafe.Pointer
		m         unsafe.Pointer
		table     unsafe.Pointer
		group     unsafe.Pointer
	}
	channel struct {
		n                  int
		buffer             unsafe.Pointer
		receivers, senders [2]unsafe.Pointer
	}
	waiter      struct{ next, elem *waiter }
	deferRecord struct {
		fn   func()
		link *deferRecord
	}
	timer struct {
		c, f, arg unsafe.Pointer
		rest      [8]int
	}
)

func typeFor[T any]() uintptr { return uintptr(unsafe.Pointer(abi.TypeFor[T]())) }

// reflected returns t as package reflect has it.
func reflected(t *abi.Type) reflect.Type {
	var i any
	(*[2]unsafe.Pointer)(unsafe.Pointer(&i))[0] = unsafe.Pointer(t)
	return reflect.TypeOf(i)
}

//go:nocheckptr
func (p *process) Word(at, near uintptr) uintptr {
	if w, ok := p.words[at]; ok {
		return w
	}
	return *(*uintptr)(unsafe.Pointer(at))
}

//go:nocheckptr
func (p *process) Byte(at uintptr) uint8 { return *(*uint8)(unsafe.Pointer(at)) }

func (p *process) IsReadable(at, n uintptr) bool { return at != 0 && !p.unreadable[at] || n == 0 }

func (p *process) TypeIn(word uintptr) *abi.Type { return (*abi.Type)(unsafe.Pointer(word)) }

func (p *process) ItabTypeIn(word uintptr) *abi.Type {
	if word == 0 {
		return nil
	}
	return (*abi.ITab)(unsafe.Pointer(word)).Type
}

func (p *process) IsType(t *abi.Type) bool       { return t != nil }
func (p *process) IsModuleType(t *abi.Type) bool { return t != p.madeType }
func (p *process) PkgPath(t *abi.Type) string    { return reflected(t).PkgPath() }

func (p *process) Name(t *abi.Type) string {
	if name, ok := p.names[t]; ok {
		return name
	}
	return reflected(t).String()
}

func (p *process) LargeType(base uintptr) *abi.Type { return p.large[base] }
func (p *process) PointerBits(base uintptr) uint64  { return p.pointers[base] }
func (p *process) Padded(n uintptr) uintptr         { return n }

func (p *process) IsEntry(pc uintptr) bool {
	f := runtime.FuncForPC(pc)
	return f != nil && f.Entry() == pc
}

func (p *process) Captured(_, pc, pos uintptr) (v Variable, ok bool) {
	return find(p.captured[pc], 0, pos)
}

func (p *process) Local(_, _ uintptr, place uint8, pos uintptr) (v Variable, ok bool) {
	return find(p.locals, place, pos)
}

// A call is one of several at a return PC.
type call struct {
	pc       uintptr
	function string
}

func (p *process) CallAt(pc uintptr, i int) (own uintptr, function string) {
	calls := p.calls[pc]
	if i >= len(calls) {
		return 0, ""
	}
	return calls[i].pc, calls[i].function
}

func find(all []Variable, place uint8, pos uintptr) (v Variable, ok bool) {
	for _, v := range all {
		if v.Has(place, pos) {
			return v, true
		}
	}
	return v, false
}

// arena is the memory of the process that was made last. It is no part of the
// heap, because pointers to records are made of numbers.
var arena [1 << 20]uint64

func (p *process) Alloc(n uintptr) uintptr {
	if n > p.room {
		return 0
	}
	used := unsafe.Sizeof(arena) - p.room
	if p.first == 0 {
		p.first = n
	}
	p.room -= n
	b := arena[used/8:][:n/8]
	clear(b)
	return uintptr(unsafe.Pointer(&b[0]))
}

func (p *process) Free(at, n uintptr) {}

// add adds an object: that to which v refers, which is a pointer, or the array
// of a slice or a string. The object has the size class that the allocator gives
// it.
func (p *process) add(v any) {
	r := reflect.ValueOf(v)
	switch t := r.Type(); t.Kind() {
	case reflect.Pointer:
		p.addArray(v, r.Pointer(), abi.TypeOf(v).Elem(), 1)
	case reflect.Slice:
		p.addArray(v, r.Pointer(), abi.TypeOf(v).Elem(), uintptr(r.Cap()))
	case reflect.String:
		p.addArray(v, uintptr(unsafe.Pointer(unsafe.StringData(r.String()))), abi.TypeFor[uint8](), uintptr(r.Len()))
	default:
		panic("what is " + t.String())
	}
}

// addArray adds the object at an address, an array of n elements of type t. keep
// has its memory.
func (p *process) addArray(keep any, at uintptr, t *abi.Type, n uintptr) {
	o := Target{Base: at, Data: at}
	if t.PtrBytes == 0 {
		o.Class = 1
	}
	size := n * t.Size_
	if t.PtrBytes != 0 && size > gc.MinSizeForMallocHeader && size <= gc.MaxSmallSize-gc.MallocHeaderSize {
		o.Base -= gc.MallocHeaderSize
		p.words[o.Base] = uintptr(unsafe.Pointer(t)) // which keep may lack: an array of words has none
		size += gc.MallocHeaderSize
	}
	for class, limit := range gc.SizeClassToSize {
		if uintptr(limit) >= size && class > 0 {
			o.Class |= uint8(class << 1)
			o.Size = uintptr(limit)
			break
		}
	}
	if o.Size == 0 {
		o.Size = (size + 8191) &^ 8191
		p.large[at] = t
	}
	for i := range min(n, 64) {
		for w := range min(t.PtrBytes/ptrSize, 64) {
			if t.TFlag&abi.TFlagGCMaskOnDemand == 0 && t.GcSlice(w/8, w/8+1)[0]>>(w%8)&1 != 0 {
				p.pointers[at] |= 1 << (i*t.Size_/ptrSize + w)
			}
		}
	}
	p.objects = append(p.objects, o)
	p.kept = append(p.kept, keep)
}

// object returns the object to which val points.
func (p *process) object(val uintptr) (o Target, ok bool) {
	for _, o := range p.objects {
		if val >= o.Base && val < o.Base+o.Size {
			return o, true
		}
	}
	return o, false
}

// walk follows references, beginning with that at an offset of the variable to
// which holder points. Each further offset is one in the object to which the
// reference before leads. It returns what each reference says about its target.
func (p *process) walk(holder any, offs ...uintptr) (steps []string) {
	p.kept = append(p.kept, holder)
	t := abi.TypeOf(holder).Elem()
	node, at := p.Global(len(p.kept), false, uintptr(unsafe.Pointer(t))), reflect.ValueOf(holder).Pointer()
	p.nodes = []uint32{node}
	for _, off := range offs {
		e := Edge{From: node, Off: off, Slot: at + off, Val: p.Word(at+off, at+off)}
		if stride := p.Stride(node); stride != 0 {
			e.Off %= stride
		}
		o, ok := p.object(e.Val)
		if !ok {
			return append(steps, "no object")
		}
		var k Key
		exact := p.Resolve(&e, &o, &k)
		steps = append(steps, p.describe(&k, exact))
		node, at = p.Find(&k), o.Data
		p.nodes = append(p.nodes, node)
	}
	return steps
}

var kindNames = map[profilerecord.RefsKind]string{
	profilerecord.RefsGlobal: "global", profilerecord.RefsField: "field", profilerecord.RefsMapTable: "storage", profilerecord.RefsMapKey: "key",
	profilerecord.RefsMapValue: "value", profilerecord.RefsChanBuffer: "buffer", profilerecord.RefsChanElem: "element",
	profilerecord.RefsChanWaiter: "waiter", profilerecord.RefsCaptured: "captured", profilerecord.RefsUnknown: "word",
	profilerecord.RefsLocal: "local", profilerecord.RefsArg: "argument", profilerecord.RefsSlot: "slot", profilerecord.RefsRegisters: "register",
	profilerecord.RefsDefer: "defer", profilerecord.RefsContext: "context",
}

var roleNames = map[profilerecord.RefsRole]string{
	profilerecord.RefsObject: "", profilerecord.RefsVariable: "variable ", profilerecord.RefsMap: "map ", profilerecord.RefsChan: "chan ",
	profilerecord.RefsBuffer: "buffer ", profilerecord.RefsClosure: "closure ", profilerecord.RefsType: "type ",
	RoleDirectory: "directory ", RoleTable: "table ", RoleGroups: "groups ",
}

// last returns the node that the last walk has reached.
func (p *process) last() *Node { return p.At(p.nodes[len(p.nodes)-1]) }

// describe returns what k says: the kind, the place, the role and the type. A
// tilde stands for references that do not give the type. The text ends with a
// question mark if k is not exact.
func (p *process) describe(k *Key, exact bool) string {
	s := kindNames[k.Kind]
	if k.Kind != profilerecord.RefsGlobal && k.Kind != profilerecord.RefsLocal {
		s = fmt.Sprintf("%s+%d", s, k.Place)
	}
	if k.Untyped {
		s += "~"
	}
	if k.Dynamic != 0 {
		s += "(" + reflected((*abi.Type)(unsafe.Pointer(k.Dynamic))).String() + ")"
	}
	if k.Arg != 0 {
		s += "[" + reflected((*abi.Type)(unsafe.Pointer(k.Arg))).String() + "]"
	}
	s += ": " + roleNames[k.Role]
	if k.Variant&VariantArray != 0 {
		s += "[]"
	}
	switch {
	case k.Func != 0:
		s += "func"
	case k.Type != 0:
		s += reflected((*abi.Type)(unsafe.Pointer(k.Type))).String()
	}
	if !exact {
		s += "?"
	}
	return s
}

// check compares the steps of a walk.
func check(t *testing.T, name string, got []string, want ...string) {
	t.Helper()
	if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
		t.Errorf("%s:\n%q, want\n%q", name, got, want)
	}
}
