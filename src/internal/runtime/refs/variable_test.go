// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package refs_test

import (
	"internal/abi"
	"internal/profilerecord"
	"internal/runtime/maps"
	. "internal/runtime/refs"
	"internal/vartable"
	"testing"
	"unsafe"
)

// variable returns a live variable of a place and a form.
func variable(place, form uint8, position uint32, typ uintptr) Variable {
	return Variable{FrameEntry: vartable.FrameEntry{Place: place, Form: form, Live: true, Position: position}, Entry: uintptr(position) + 1000, Type: typ}
}

// A frame is the memory of a hand-made frame: locals, and then arguments.
type frame struct {
	locals [8]unsafe.Pointer
	args   [4]unsafe.Pointer
}

// local returns the position of local i: its distance below varp.
func (f *frame) local(i int) uint32 { return uint32(len(f.locals) - i) }

// frame returns f as a Frame.
func (p *process) frame(f *frame) Frame {
	p.kept = append(p.kept, f) // so that it is not on the stack
	at := uintptr(unsafe.Pointer(f))
	return Frame{Node: p.FrameNode(0, 1), Varp: at + unsafe.Offsetof(f.args), Argp: at + unsafe.Offsetof(f.args), Args: unsafe.Sizeof(f.args)}
}

// follow returns what the word of f at an address says.
func (p *process) follow(f Frame, word *unsafe.Pointer) string {
	o, ok := p.object(uintptr(*word))
	if !ok {
		return "no object"
	}
	var k Key
	exact := p.ResolveLocal(&Edge{Slot: uintptr(unsafe.Pointer(word)), Val: uintptr(*word)}, &f, &o, &k)
	p.nodes = append(p.nodes[:0], p.Find(&k))
	return p.describe(&k, exact)
}

//go:nocheckptr
func TestLocals(t *testing.T) {
	p := newProcess()
	s, list, text := new(small), make([]small, 3), string([]byte("text of an object"))
	header := new([maps.RefsMapSize / ptrSize]*int)
	for _, v := range []any{s, list, text, header} {
		p.add(v)
	}
	closure := func() *small { return s }
	pc := **(**uintptr)(unsafe.Pointer(&closure))
	p.captured[pc] = []Variable{variable(vartable.PlaceCaptured, vartable.FormPointer, 1, typeFor[small]())}
	f := &frame{}
	word := func(v any) unsafe.Pointer { return (*[2]unsafe.Pointer)(unsafe.Pointer(&v))[1] }
	typ := func(v any) unsafe.Pointer { return (*[2]unsafe.Pointer)(unsafe.Pointer(&v))[0] }
	ptr := unsafe.Pointer(s)
	dict := &[3]unsafe.Pointer{2: unsafe.Pointer(abi.TypeFor[*small]())}
	generic := variable(vartable.PlaceLocal, vartable.FormUnsafe, f.local(7), 0)
	generic.Dict = vartable.FrameDict{Known: true, Live: true, Place: vartable.PlaceArg, Position: 1, Word: 2}
	split := variable(vartable.PlaceLocal, vartable.FormEfaceData, f.local(4), 0)
	split.Itab = f.local(5)
	alone := variable(vartable.PlaceLocal, vartable.FormEfaceData, f.local(4), 0)
	p.unreadable[uintptr(unsafe.Pointer(&dict[2]))] = true // a frame's dictionary is read all the same
	for _, test := range []struct {
		name string
		v    Variable
		set  map[int]unsafe.Pointer // locals
		word int
		want string
	}{
		{"pointer", variable(vartable.PlaceLocal, vartable.FormPointer, f.local(3), typeFor[small]()), map[int]unsafe.Pointer{3: ptr}, 3, "local: refs_test.small"},
		{"no variable", variable(vartable.PlaceArg, vartable.FormPointer, 0, typeFor[small]()), map[int]unsafe.Pointer{3: ptr}, 3, "slot+40~: ?"},
		{"slice's array", variable(vartable.PlaceLocal, vartable.FormSliceData, f.local(3), typeFor[small]()), map[int]unsafe.Pointer{3: unsafe.Pointer(&list[0])}, 3, "local: refs_test.small?"},
		{"string", variable(vartable.PlaceLocal, vartable.FormString, f.local(3), 0), map[int]unsafe.Pointer{3: unsafe.Pointer(unsafe.StringData(text))}, 3, "local: uint8"},
		{"second word of a struct", variable(vartable.PlaceLocal, vartable.FormValue, f.local(2), typeFor[pair[*small]]()), map[int]unsafe.Pointer{3: ptr}, 3, "field+8: refs_test.small"},
		{"element of an array", variable(vartable.PlaceLocal, vartable.FormValue, f.local(2), typeFor[[4]*small]()), map[int]unsafe.Pointer{4: ptr}, 4, "field+0: refs_test.small"},
		{"struct of unknown type", variable(vartable.PlaceLocal, vartable.FormValue, f.local(2), 0), map[int]unsafe.Pointer{3: ptr}, 3, "local~: ?"},
		{"interface", variable(vartable.PlaceLocal, vartable.FormEface, f.local(2), 0), map[int]unsafe.Pointer{2: typ(s), 3: ptr}, 3, "local(*refs_test.small): refs_test.small"},
		{"interface in two locals", split, map[int]unsafe.Pointer{4: word(s), 5: typ(s)}, 4, "local(*refs_test.small): refs_test.small?"},
		{"interface without its type", alone, map[int]unsafe.Pointer{4: word(s), 5: typ(s)}, 4, "local~: ?"},
		{"map whose entry has another type", variable(vartable.PlaceLocal, vartable.FormMap, f.local(3), typeFor[small]()), map[int]unsafe.Pointer{3: unsafe.Pointer(header)}, 3, "local~: ?"},
		{"map", variable(vartable.PlaceLocal, vartable.FormMap, f.local(3), typeFor[map[int]int]()), map[int]unsafe.Pointer{3: unsafe.Pointer(header)}, 3, "local: map map[int]int"},
		{"channel whose entry has another type", variable(vartable.PlaceLocal, vartable.FormChan, f.local(3), typeFor[small]()), map[int]unsafe.Pointer{3: unsafe.Pointer(header)}, 3, "local~: ?"},
		{"closure on the stack", variable(vartable.PlaceLocal, vartable.FormClosure, f.local(2), 0), map[int]unsafe.Pointer{2: unsafe.Pointer(pc), 3: ptr}, 3, "captured+8: refs_test.small"},
		{"no closure any more", variable(vartable.PlaceLocal, vartable.FormClosure, f.local(2), 0), map[int]unsafe.Pointer{3: ptr}, 3, "local~: ?"},
		{"type argument", generic, map[int]unsafe.Pointer{7: ptr, 9: unsafe.Pointer(dict)}, 7, "local[*refs_test.small]: refs_test.small"},
	} {
		*f = frame{}
		for i, w := range test.set {
			if i >= len(f.locals) {
				f.args[i-len(f.locals)] = w
			} else {
				f.locals[i] = w
			}
		}
		if ptrSize == 4 {
			continue // offsets are those of 64 bits
		}
		p.locals = []Variable{test.v}
		if got := p.follow(p.frame(f), &f.locals[test.word]); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// TestMapInFrame checks that the header and the group of a map in the frame have
// the node of one map.
//
//go:nocheckptr
func TestMapInFrame(t *testing.T) {
	if ptrSize == 4 {
		t.Skip("offsets are those of 64 bits")
	}
	p := newProcess()
	s, table := new(small), new([8]unsafe.Pointer)
	p.add(s)
	p.add(table)
	f := &frame{}
	typ := typeFor[map[int]*small]()
	header := variable(vartable.PlaceLocal, vartable.FormMapHeader, f.local(4), typ)
	group := variable(vartable.PlaceLocal, vartable.FormMapGroup, f.local(0), typ)
	group.Itab = f.local(4)
	p.locals = []Variable{header, group}
	for i := range f.locals {
		f.locals[i] = unsafe.Pointer(s)
	}
	fr := p.frame(f)
	check(t, "element of the group", []string{p.follow(fr, &f.locals[2])}, "value+0: refs_test.small")
	node := p.At(p.last().Parent)
	if node.Parent != fr.Node || node.Kind != profilerecord.RefsLocal || node.Place != header.Entry || node.Type != typ {
		t.Errorf("the node of the map is %+v", node.Key)
	}
	p.locals[1].Itab = 0
	check(t, "group without a header", []string{p.follow(fr, &f.locals[2])}, "value+0: refs_test.small")
	if node := p.At(p.last().Parent); node.Place != group.Entry {
		t.Errorf("without a header, the node of the map is %+v", node.Key)
	}
	p.locals[1].Type = typeFor[small]()
	check(t, "group of another type", []string{p.follow(fr, &f.locals[2])}, "local~: ?")
}

// TestOwnFrame checks below which call at a frame's PC a variable is.
//
//go:nocheckptr
func TestOwnFrame(t *testing.T) {
	p := newProcess()
	s := new(small)
	p.add(s)
	f := &frame{locals: [8]unsafe.Pointer{3: unsafe.Pointer(s)}}
	fr := p.frame(f)
	p.calls = map[uintptr][]call{1: {{10, "outer"}, {20, "middle"}, {1, "inner"}}}
	for _, test := range []struct {
		depth    uint8
		function string
		want     uintptr
	}{
		{0, "", 10},
		{1, "middle", 20},
		{2, "inner", 1},
		{1, "other", 10},
		{3, "inner", 10},
	} {
		v := variable(vartable.PlaceLocal, vartable.FormPointer, f.local(3), typeFor[small]())
		v.InlineDepth, v.InlineHash = test.depth, vartable.FunctionHash(test.function)
		p.locals = []Variable{v}
		check(t, test.function, []string{p.follow(fr, &f.locals[3])}, "local: refs_test.small")
		own := p.At(p.last().Parent)
		if own.Kind != profilerecord.RefsFrame || own.Parent != 0 || own.Place != test.want {
			t.Errorf("depth %d, %s: the frame is %+v, want PC %d", test.depth, test.function, own.Key, test.want)
		}
	}
}

func TestArguments(t *testing.T) {
	p := newProcess()
	s := new(small)
	p.add(s)
	f := &frame{args: [4]unsafe.Pointer{1: unsafe.Pointer(s)}, locals: [8]unsafe.Pointer{unsafe.Pointer(s)}}
	fr := p.frame(f)
	check(t, "unknown argument", []string{p.follow(fr, &f.args[1])}, "argument+"+map[uintptr]string{4: "4", 8: "8"}[ptrSize]+"~: ?")
	p.locals = []Variable{variable(vartable.PlaceArg, vartable.FormPointer, 1, typeFor[small]())}
	check(t, "argument", []string{p.follow(fr, &f.args[1])}, "local: refs_test.small")
	if n := p.last(); n.Parent != fr.Node || n.Place != p.locals[0].Entry {
		t.Errorf("the node of the argument is %+v", n.Key)
	}
	p.locals = []Variable{variable(vartable.PlaceArg, vartable.FormValue, 0, typeFor[[2]pair[*small]]())}
	f.args[3] = unsafe.Pointer(s)
	check(t, "argument that is an array", []string{p.follow(fr, &f.args[3])}, p.describe(&Key{Kind: profilerecord.RefsField, Place: ptrSize, Type: typeFor[small]()}, true))
	fr.Conservative = true
	check(t, "conservative frame", []string{p.follow(fr, &f.args[1])}, "register+0~: ?")
	w := new(wide)
	p.add(w)
	f.args[1] = unsafe.Pointer(w)
	check(t, "object with a header in a conservative frame", []string{p.follow(fr, &f.args[1])}, "register+0~: refs_test.wide?")
}

// TestCaptured walks from a closure to what it has captured, also by a
// dictionary of its own.
//
//go:nocheckptr
func TestCaptured(t *testing.T) {
	type triple struct{ a, b, c *small }
	type closure struct {
		pc   uintptr
		a    *small
		all  triple
		dict *[1]unsafe.Pointer
		arg  *small
	}
	fn := func() {}
	c := &closure{pc: **(**uintptr)(unsafe.Pointer(&fn)), a: new(small), dict: &[1]unsafe.Pointer{unsafe.Pointer(abi.TypeFor[*small]())}}
	c.arg = c.a
	c.all.b = c.a
	p := newProcess()
	p.add(c)
	p.add(c.a)
	generic := variable(vartable.PlaceCaptured, vartable.FormUnsafe, 6, 0)
	generic.Dict = vartable.FrameDict{Known: true, Place: vartable.PlaceCaptured, Position: 5}
	p.captured[c.pc] = []Variable{
		generic,
		variable(vartable.PlaceCaptured, vartable.FormValue, 2, typeFor[triple]()),
		variable(vartable.PlaceCaptured, vartable.FormPointer, 1, typeFor[small]()),
	}
	holder := &struct{ f func() }{*(*func())(unsafe.Pointer(&c))}
	for _, test := range []struct {
		off  uintptr
		want string
	}{
		{unsafe.Offsetof(c.a), p.describe(&Key{Kind: profilerecord.RefsCaptured, Place: ptrSize, Type: typeFor[small]()}, true)},
		{unsafe.Offsetof(c.all) + ptrSize, p.describe(&Key{Kind: profilerecord.RefsField, Place: ptrSize, Type: typeFor[small]()}, true)},
		{unsafe.Offsetof(c.arg), p.describe(&Key{Kind: profilerecord.RefsCaptured, Place: 6 * ptrSize, Type: typeFor[small](), Arg: typeFor[*small]()}, true)},
	} {
		check(t, "captured", p.walk(holder, 0, test.off), "field+0: closure func", test.want)
	}
	p.unreadable[uintptr(unsafe.Pointer(c.dict))] = true // because the memory of the closure is another object by now
	check(t, "no dictionary", p.walk(holder, 0, unsafe.Offsetof(c.arg))[1:], p.describe(&Key{Kind: profilerecord.RefsCaptured, Place: 6 * ptrSize, Untyped: true}, false))
	c.pc++
	check(t, "no closure", p.walk(holder, 0), "field+0~: ?")
}

//go:nocheckptr
func TestSaved(t *testing.T) {
	p := newProcess()
	fn := func() {}
	c, record := *(**[1]uintptr)(unsafe.Pointer(&fn)), new(deferRecord)
	closure := &[2]*int{(*int)(unsafe.Pointer(c[0]))}
	p.add(closure)
	p.add(record)
	node := p.FrameNode(0, 1)
	const function, context = 0x108, 0x200 // addresses of words
	for _, test := range []struct {
		slot, deferFunc uintptr
		val             unsafe.Pointer
		want            string
	}{
		{function, function, unsafe.Pointer(closure), "defer+0: closure func"},
		{0x110, function, unsafe.Pointer(record), "defer+0: refs_test.deferRecord"},
		{context, function, unsafe.Pointer(record), "defer+0: refs_test.deferRecord"},
		{context, 0, unsafe.Pointer(closure), "context+0: closure func"},
		{0x208, 0, unsafe.Pointer(record), "register+0~: ?"},
		{0, 0, unsafe.Pointer(record), "register+0~: ?"},
	} {
		o, _ := p.object(uintptr(test.val))
		var k Key
		exact := p.ResolveSaved(&Edge{Val: uintptr(test.val)}, node, SavedOf(test.slot, test.deferFunc, context), &o, &k)
		if got := p.describe(&k, exact); got != test.want || k.Parent != node {
			t.Errorf("%q below node %d, want %q", got, k.Parent, test.want)
		}
		if got, want := o.Extent.Extends(), k.Kind != profilerecord.RefsRegisters; got != want {
			t.Errorf("word at %#x: extends a hull: %v, want %v", test.slot, got, want)
		}
	}
}

// TestDescribe checks from where a record takes the type of a variable.
func TestDescribe(t *testing.T) {
	own, argument := variable(vartable.PlaceLocal, vartable.FormPointer, 1, typeFor[small]()), variable(vartable.PlaceLocal, vartable.FormUnsafe, 1, 0)
	argument.Dict.Known = true
	for _, test := range []struct {
		v    *Variable
		k    Key
		want *abi.Type
	}{
		{&own, Key{Type: typeFor[int]()}, abi.TypeFor[small]()},
		{&argument, Key{Arg: typeFor[int]()}, abi.TypeFor[int]()},
		{&argument, Key{Role: profilerecord.RefsVariable, Type: typeFor[tree]()}, abi.TypeFor[tree]()},
		{&argument, Key{}, nil},
	} {
		var r profilerecord.RefsNode
		if got := test.k.Describe(test.v, &r); got != test.want || r.Form != test.v.Form {
			t.Errorf("%+v: %+v of %v, want %v", test.k, r, got, test.want)
		}
	}
}
