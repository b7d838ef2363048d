// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package refs_test

import (
	"internal/abi"
	"internal/profilerecord"
	"internal/runtime/maps"
	. "internal/runtime/refs"
	"reflect"
	"testing"
	"unsafe"
)

// Objects of four words.
type (
	fourPointers  struct{ a, b, c, d *int }
	otherFour     struct{ e, f, g, h *uint }
	threePointers struct {
		a, b, c *int
		d       uintptr
	}
)

// Elements of two words.
type (
	pointerFirst struct {
		p *int
		n int
	}
	pointerLast struct {
		n int
		p *int
	}
)

// A mapHeader has its pointer where maps have theirs.
type mapHeader struct {
	_   [maps.RefsMapDirPtr / ptrSize]uintptr
	dir unsafe.Pointer
	_   [maps.RefsMapSize/ptrSize - maps.RefsMapDirPtr/ptrSize - 1]uintptr
}

// TestConfirm follows the first word of an object whose type may be inferred. If
// it is, this word may refer to an object of another type than the reference
// says.
func TestConfirm(t *testing.T) {
	type four struct{ p *fourPointers }
	type slice struct{ p []pointerFirst }
	type array struct{ p *pointerFirst }
	three := slice{make([]pointerFirst, 1, 3)}
	for _, test := range []struct {
		name     string
		holder   any
		object   any
		inferred bool
		want     string // type of the object
		exact    bool
		check    Check
	}{
		{"the type", new(four), new(fourPointers), true, "refs_test.fourPointers", true, CheckBits},
		{"a type with the same pointers", new(four), new(otherFour), true, "refs_test.fourPointers", true, CheckBits},
		{"a pointer is missing", new(four), new(threePointers), true, "", false, CheckNone},
		{"not inferred", new(four), new(threePointers), false, "refs_test.fourPointers", true, CheckNone},
		{"slice", &three, new([3]pointerFirst), true, "refs_test.pointerFirst", true, CheckNever},
		{"slice that ends early", &three, new(struct {
			elems [2]pointerFirst
			rest  [2]int
		}), true, "refs_test.pointerFirst", true, CheckNever},
		{"slice of others", &three, new([3]pointerLast), true, "", false, CheckSlice},
		{"array", new(array), new([3]pointerFirst), true, "refs_test.pointerFirst", false, CheckBits},
		{"array of others", new(array), new([3]pointerLast), true, "", false, CheckNone},
		{"without pointers", new(struct{ p *[4]int }), new([4]uint), true, "int", true, CheckNone},
		{"with a header", new(struct{ p *[100]*int }), new([100]*int), true, "*int", true, CheckNone},
		{"map", new(struct{ p map[int]*int }), new(mapHeader), true, "map[int]*int", true, CheckBits},
		{"map that is none", new(struct{ p map[int]*int }), new([maps.RefsMapSize / ptrSize]*int), true, "", false, CheckNone},
		{"chan", new(struct{ p chan *int }), new(channel), true, "chan *int", true, CheckBits},
		{"chan that is none", new(struct{ p chan *int }), new([unsafe.Sizeof(channel{}) / ptrSize / 2]pointerLast), true, "", false, CheckNone},
	} {
		p := newProcess()
		p.add(test.object)
		o := &p.objects[0]
		word := reflect.ValueOf(test.holder).UnsafePointer()
		*(*unsafe.Pointer)(word) = reflect.ValueOf(test.object).UnsafePointer()
		from := Key{Kind: profilerecord.RefsSlot, Type: uintptr(unsafe.Pointer(abi.TypeOf(test.holder).Elem()))}
		if test.inferred {
			from.Variant = VariantInferred
		}
		var key Key
		exact := p.Resolve(&Edge{From: p.Find(&from), Slot: uintptr(word), Val: o.Data}, o, &key)
		typ := ""
		if key.Type != 0 {
			typ = reflected((*abi.Type)(unsafe.Pointer(key.Type))).String()
		}
		if typ != test.want || exact != test.exact || o.Check != test.check {
			t.Errorf("%s: the type is %q, exact %t, check %d; want %q, %t, %d", test.name, typ, exact, o.Check, test.want, test.exact, test.check)
		}
		if o.Check == CheckBits && uint64(o.Seen) != p.PointerBits(o.Base) {
			t.Errorf("%s: Seen is %#x, want %#x", test.name, o.Seen, p.PointerBits(o.Base))
		}
		if typ == "" && (!key.Untyped || key.Role != profilerecord.RefsObject) {
			t.Errorf("%s: the key is %+v", test.name, key)
		}
	}
}

// TestConfirmMap follows the reference of a map to its group, below an object
// whose type is inferred. The group may be that of a map of another type.
func TestConfirmMap(t *testing.T) {
	typ := (*abi.MapType)(unsafe.Pointer(abi.TypeFor[map[int]*int]()))
	turned := (*abi.MapType)(unsafe.Pointer(abi.TypeFor[map[*int]int]()))
	for _, test := range []struct {
		name  string
		group *abi.Type
		n     uintptr
		want  profilerecord.RefsRole
	}{
		{"one group", typ.Group, 1, RoleGroups},
		{"groups", typ.Group, 2, RoleGroups},
		{"keys and elements change places", turned.Group, 1, profilerecord.RefsObject},
	} {
		p := newProcess()
		group := make([]uintptr, test.n*test.group.Size_/ptrSize)
		header := new([maps.RefsMapSize / ptrSize]uintptr)
		at := uintptr(unsafe.Pointer(header))
		p.kept = append(p.kept, header)
		p.addArray(group, uintptr(unsafe.Pointer(&group[0])), test.group, test.n)
		root := p.Find(&Key{Kind: profilerecord.RefsSlot, Type: typeFor[fourPointers](), Variant: VariantInferred})
		from := p.Find(&Key{Parent: root, Kind: profilerecord.RefsField, Role: profilerecord.RefsMap, Type: uintptr(unsafe.Pointer(typ))})
		o, key := p.objects[0], Key{}
		exact := p.Resolve(&Edge{From: from, Off: maps.RefsMapDirPtr, Slot: at + maps.RefsMapDirPtr, Val: o.Data}, &o, &key)
		if key.Role != test.want || exact != (test.want == RoleGroups) {
			t.Errorf("%s: the role is %d, exact %t, want %d", test.name, key.Role, exact, test.want)
		}
	}
}

// TestConfirmExtent follows references in an object whose type may be inferred.
// They refer to the whole target then, and that of a sudog to its channel does
// so only if nothing else refers to it, as always.
func TestConfirmExtent(t *testing.T) {
	type waiter struct {
		c unsafe.Pointer
		p *[4]int
	}
	object := new([4]int)
	w := &waiter{unsafe.Pointer(object), object}
	for _, test := range []struct {
		name    string
		off     uintptr
		sudog   bool
		variant Variant
		want    ExtentForm
	}{
		{"typed", unsafe.Offsetof(w.p), false, 0, ExtentOne},
		{"typed, below a guess", unsafe.Offsetof(w.p), false, VariantInferred, ExtentWhole},
		{"sudog", 0, true, 0, ExtentDoubtful},
		{"guessed sudog", 0, true, VariantInferred, ExtentDoubtful},
	} {
		p := newProcess()
		if test.sudog {
			p.Known.Sudog = typeFor[waiter]()
		}
		p.add(object)
		o, key := p.objects[0], Key{}
		from := p.Find(&Key{Kind: profilerecord.RefsSlot, Type: typeFor[waiter](), Variant: test.variant})
		p.Resolve(&Edge{From: from, Off: test.off, Slot: uintptr(unsafe.Add(unsafe.Pointer(w), test.off)), Val: o.Data}, &o, &key)
		if o.Extent.Form != test.want {
			t.Errorf("%s: extent %+v, want form %d", test.name, o.Extent, test.want)
		}
	}
}
