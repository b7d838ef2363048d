// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package refs_test

import (
	"fmt"
	"internal/abi"
	"internal/profilerecord"
	. "internal/runtime/refs"
	"slices"
	"testing"
	"unsafe"
)

// addSample adds object, a pointer, as a sample whose word is w, in a stage.
func (p *process) addSample(s Stage, w uint32, old bool, object any) {
	p.add(object)
	o := p.objects[len(p.objects)-1]
	if p.WantsSamples(s, p) != (s != StageBarrier || p.guesses()) {
		panic("samples are not wanted")
	}
	p.AddSample(s, w, old, &o, uintptr(unsafe.Pointer(abi.TypeOf(object).Elem())))
}

// guesses reports whether there are nodes whose type is inferred.
func (p *process) guesses() bool {
	for n := range p.Len() {
		if p.At(n).Variant == VariantInferred {
			return true
		}
	}
	return false
}

// TestInfer infers the type of an object of three words, of which the first is a
// pointer, from samples at its node and elsewhere.
func TestInfer(t *testing.T) {
	type (
		first struct {
			p    *int
			a, b uintptr
		}
		second struct {
			q    *uint
			c, d uintptr
		}
		larger struct {
			p          *int
			a, b, c, d uintptr
		}
		last struct {
			a, b uintptr
			p    *int
		}
		three [3]struct{ p *int }
		place int
	)
	const (
		here      place = iota // at the node
		elsewhere              // at another node of unknown type
		register               // at one that the stage does not release
		below                  // not reached
		young                  // not reached, and allocated since the last collection
		claimed
		barrier
		lost
	)
	type sample struct {
		place  place
		object any // pointer to it
	}
	one, other := new(first), new(second)
	for _, test := range []struct {
		name    string
		samples []sample
		want    uintptr
	}{
		{"none", nil, 0},
		{"one", []sample{{here, one}}, typeFor[first]()},
		{"most", []sample{{here, one}, {here, other}, {here, new(first)}}, typeFor[first]()},
		{"most are others", []sample{{here, one}, {here, other}, {here, new(second)}}, typeFor[second]()},
		{"other size", []sample{{here, new(larger)}, {here, new(larger)}}, 0},
		{"other pointers", []sample{{here, new(last)}, {here, new(last)}, {here, new(three)}, {here, new(three)}}, 0},
		{"both", []sample{{here, new(last)}, {here, new(last)}, {here, one}, {here, new(larger)}}, typeFor[first]()},
		{"array", []sample{{here, new([1]first)}, {here, other}, {here, one}}, typeFor[first]()},
		{"without pointers", []sample{{here, new([3]uintptr)}, {here, new([3]uintptr)}}, 0},
		{"elsewhere", []sample{{elsewhere, one}, {elsewhere, new(first)}}, 0},
		{"here and elsewhere", []sample{{elsewhere, other}, {here, one}, {elsewhere, new(second)}}, typeFor[first]()},
		{"not released", []sample{{register, one}, {register, new(first)}}, 0},
		{"below", []sample{{below, one}}, typeFor[first]()},
		{"most below", []sample{{below, other}, {below, one}, {below, new(first)}}, typeFor[first]()},
		{"young", []sample{{young, one}}, typeFor[first]()},
		{"young others", []sample{{young, other}, {below, one}, {young, new(second)}}, typeFor[first]()},
		{"here and below", []sample{{below, other}, {here, one}, {below, new(second)}}, typeFor[first]()},
		{"elsewhere and below", []sample{{elsewhere, other}, {elsewhere, new(second)}, {below, one}}, typeFor[first]()},
		{"claimed", []sample{{claimed, one}, {claimed, new(first)}}, 0},
		{"found outside of scans", []sample{{barrier, one}, {barrier, new(first)}}, 0},
		{"lost", []sample{{lost, one}, {lost, new(first)}}, 0},
	} {
		p := newProcess()
		holder := new([2]struct {
			a [2]unsafe.Pointer
			b unsafe.Pointer
		})
		object := new(first)
		p.add(object)
		holder[0].a[1], holder[0].b = unsafe.Pointer(object), unsafe.Pointer(object)
		p.walk(holder, 2*ptrSize)
		there := p.nodes[1]
		p.walk(holder, ptrSize)
		n := p.nodes[1]
		words := map[place]uint32{
			here: n | Held, elsewhere: there | Held, register: p.Find(&Key{Kind: profilerecord.RefsRegisters}) | Held,
			claimed: n, barrier: NodeBarrier | Held, lost: n | Lost | Held,
		}
		for _, s := range test.samples {
			p.addSample(StageGlobalsUntyped, words[s.place], s.place != young, s.object)
		}
		p.InferIn(StageGlobalsUntyped)
		from, o := p.nodes[0], p.objects[0]
		e := Edge{From: from, Off: ptrSize, Slot: uintptr(unsafe.Pointer(&holder[0].a[1])), Val: o.Base}
		var key Key
		exact := p.Resolve(&e, &o, &key)
		if key.Type != test.want || exact != (test.want != 0) || (key.Variant == VariantInferred) != exact || !key.Untyped {
			t.Errorf("%s: the key is %+v, exact %t, want type %#x", test.name, key, exact, test.want)
		}
		if seen := p.PointerBits(o.Base); o.Check != CheckTypeless || o.Stride != p.Infers() || p.Infers() != 0 && uint64(o.Seen) != seen {
			t.Errorf("%s: the hint is %+v, want %#x", test.name, o.Hint, seen)
		}
		released := p.Inferred(n, &o)
		if node := p.At(released); node.Type != test.want || (released == n) != (test.want == 0) || node.Place != p.At(n).Place {
			t.Errorf("%s: the object is released at node %+v", test.name, node.Key)
		}
		p.InferIn(StageStacks)
		if exact := p.Resolve(&e, &o, &key); exact || key.Type != 0 || o.Seen != 0 || o.Stride != 0 || p.Inferred(n, &o) != n {
			t.Errorf("%s: a type is inferred while references that give one are followed", test.name)
		}
	}
}

// TestInferList infers the types of the elements of a list.
func TestInferList(t *testing.T) {
	type element struct {
		n    int
		next unsafe.Pointer
	}
	const next = unsafe.Offsetof(element{}.next)
	all := new([4]*element)
	p := newProcess()
	for i := range all {
		all[i] = new(element)
		if i > 0 {
			all[i-1].next = unsafe.Pointer(all[i])
		}
		p.addSample(StageGlobalsUntyped, 0, true, all[i])
	}
	p.InferIn(StageGlobalsUntyped)
	steps := p.walk(&struct{ head unsafe.Pointer }{unsafe.Pointer(all[0])}, 0, next, next, next)
	below := fmt.Sprintf("field+%d~: refs_test.element", next)
	check(t, "list", steps, "field+0~: refs_test.element", below, below, below)
	if p.nodes[2] != p.nodes[4] {
		t.Errorf("the elements are at nodes %d", p.nodes)
	}
}

// TestInferLater has samples that later stages find.
func TestInferLater(t *testing.T) {
	p := newProcess()
	object := new([3]*int)
	type other struct{ a, b, c *uint }
	holder := &struct{ raw unsafe.Pointer }{unsafe.Pointer(object)}
	for _, test := range []struct {
		stage   Stage
		samples []any
		want    uintptr
	}{
		{StageGlobalsUntyped, nil, 0},
		{StageStacksUntyped, []any{object}, typeFor[*int]()},
		{StageStacks, nil, 0},
		{StageSpecialsUntyped, nil, typeFor[*int]()},
		{StageRuntimeUntyped, []any{new(other), new(other)}, typeFor[other]()},
		{StagePools, nil, typeFor[other]()},
		{StageBarrier, nil, 0},
	} {
		for _, o := range test.samples {
			p.addSample(test.stage, 0, true, o)
		}
		p.InferIn(test.stage)
		if len(p.objects) == 0 {
			continue
		}
		p.walk(holder, 0)
		if got := p.last().Type; got != test.want {
			t.Errorf("stage %d infers type %#x, want %#x", test.stage, got, test.want)
		}
	}
}

// TestInferKnown infers no type for an object whose type is known.
func TestInferKnown(t *testing.T) {
	p := newProcess()
	holder := new(struct {
		raw   unsafe.Pointer
		typed *[3]*int
	})
	type other struct{ a, b, c *uint }
	object := new([3]*int)
	p.add(object)
	holder.raw, holder.typed = unsafe.Pointer(object), object
	p.walk(holder, ptrSize)
	typed := p.nodes[1]
	p.addSample(StageGlobalsUntyped, typed|Held, true, new(other))
	if p.InferIn(StageGlobalsUntyped); p.Infers() != 0 {
		t.Error("a sample at a node with a type is evidence")
	}
	p.addSample(StageGlobalsUntyped, 0, true, new(other))
	p.InferIn(StageGlobalsUntyped)
	if p.walk(holder, ptrSize); p.last().Type != typeFor[*int]() || p.Inferred(typed, &p.objects[0]) != typed {
		t.Errorf("the object is at node %+v", p.last().Key)
	}
	if p.walk(holder, 0); p.last().Type != typeFor[other]() {
		t.Errorf("the object is at node %+v", p.last().Key)
	}
}

// TestInferFull infers no type if there is no room for its node.
func TestInferFull(t *testing.T) {
	p := newProcess()
	object := new([3]*int)
	p.add(object)
	holder := &struct{ raw unsafe.Pointer }{unsafe.Pointer(object)}
	p.walk(holder, 0)
	n := p.nodes[1]
	p.addSample(StageGlobalsUntyped, n|Held, true, new([3]*int))
	p.InferIn(StageGlobalsUntyped)
	p.LimitTo(0)
	var key Key
	o := p.objects[0]
	e := Edge{From: p.nodes[0], Slot: uintptr(unsafe.Pointer(holder)), Val: o.Base}
	if exact := p.Resolve(&e, &o, &key); exact || p.Find(&key) != n {
		t.Errorf("the key is %+v, exact %t, and its node %d", key, exact, p.Find(&key))
	}
	if m := p.Inferred(n, &o); m != n {
		t.Errorf("the object is released at node %d, want %d", m, n)
	}
}

// TestInferWrong samples an object with a type that has pointers elsewhere, as
// only a damaged core file has it.
func TestInferWrong(t *testing.T) {
	p := newProcess()
	p.add(new([3]*int))
	type wrong struct {
		a, b *int
		c    uintptr
	}
	if !p.WantsSamples(StageGlobalsUntyped, p) {
		t.Fatal("no memory")
	}
	p.AddSample(StageGlobalsUntyped, 0, true, &p.objects[0], typeFor[wrong]())
	if p.InferIn(StageGlobalsUntyped); p.Infers() != 0 {
		t.Error("a wrong type is evidence")
	}
}

// TestSamples checks which stages need samples.
func TestSamples(t *testing.T) {
	want := []Stage{StageGlobalsUntyped, StageStacksUntyped, StageSpecialsUntyped, StageRuntimeUntyped, StageBarrier}
	got := slices.DeleteFunc(stagesOf(true, false), func(s Stage) bool { return !s.Samples() })
	if !slices.Equal(got, want) {
		t.Errorf("stages %d need samples, want %d", got, want)
	}
}

// TestVerify has samples that are claimed at a node whose type is inferred, and
// nodes below.
func TestVerify(t *testing.T) {
	type (
		entry struct{ p, q *int }
		like  struct{ a, b *uint }
		made  struct{ p, q *int8 }
	)
	unknown := func(k profilerecord.RefsKind) Key { return Key{Kind: k, Place: 8, Untyped: true} }
	below := func(n uint32) Key { return Key{Parent: n, Kind: profilerecord.RefsUnknown, Untyped: true} }
	for _, test := range []struct {
		name    string
		kind    profilerecord.RefsKind
		samples []any
		holds   bool
	}{
		{"none", profilerecord.RefsSlot, nil, false},
		{"one", profilerecord.RefsSlot, []any{new(entry)}, false},
		{"two", profilerecord.RefsSlot, []any{new(entry), new(entry)}, true},
		{"array", profilerecord.RefsSlot, []any{new(entry), new([2]entry)}, true},
		{"another", profilerecord.RefsSlot, []any{new(entry), new(like), new(entry)}, false},
		{"another made by reflect", profilerecord.RefsSlot, []any{new(entry), new(entry), new(made)}, false},
		{"another of another size", profilerecord.RefsSlot, []any{new(entry), new(entry), new([3]*int)}, false},
		{"none below a variable", profilerecord.RefsGlobal, nil, false},
		{"two below a variable", profilerecord.RefsGlobal, []any{new(entry), new(entry)}, true},
		{"none below one of unknown type", profilerecord.RefsUnknown, nil, false},
	} {
		p := newProcess()
		p.madeType = abi.TypeFor[made]()
		find := func(k Key) (uint32, Key) { n := p.Find(&k); return n, k }
		key := unknown(test.kind)
		if test.kind == profilerecord.RefsUnknown {
			key = below(p.Find(&Key{Kind: profilerecord.RefsSlot, Untyped: true}))
		}
		key.Type, key.Variant = typeFor[entry](), VariantInferred
		n, inferred := find(key)
		field, typed := find(Key{Parent: n, Kind: profilerecord.RefsField, Type: typeFor[int]()})
		table, tableKey := find(Key{Parent: n, Kind: profilerecord.RefsMapTable, Role: profilerecord.RefsMap, Type: typeFor[map[int]int]()})
		headed, headedKey := find(Key{Parent: n, Kind: profilerecord.RefsField, Place: 8, Type: typeFor[[100]*int](), Untyped: true})
		deep, deepKey := find(Key{Parent: headed, Kind: profilerecord.RefsField, Type: typeFor[uint]()})
		large, largeKey := find(Key{Parent: n, Kind: profilerecord.RefsField, Place: 16, Type: typeFor[[90]*int](), Dynamic: typeFor[*int](), Variant: VariantHeaded})
		in, inKey := find(Key{Parent: large, Kind: profilerecord.RefsField, Type: typeFor[uint16]()})
		value, valueKey := find(Key{Parent: table, Kind: profilerecord.RefsMapValue, Type: typeFor[like](), Variant: VariantInferred, Untyped: true})
		p.addSample(StageGlobalsUntyped, 0, true, new(entry)) // says nothing
		for _, o := range test.samples {
			p.addSample(StageBarrier, n|Alone, true, o)
		}
		for range 2 {
			p.addSample(StageBarrier, value, false, new(like))
			p.addSample(StageBarrier, field, false, new(entry))
		}
		want := map[uint32]Key{n: inferred, field: typed, table: tableKey, headed: headedKey, deep: deepKey, large: largeKey, in: inKey, value: valueKey}
		if !test.holds {
			lost := unknown(test.kind)
			want[n], want[field], want[table] = lost, lost, lost
			switch test.kind {
			case profilerecord.RefsGlobal:
				want[field], want[table] = below(n), below(n)
			case profilerecord.RefsUnknown:
				lost = p.At(key.Parent).Key
				want[n], want[field], want[table] = lost, lost, lost
			}
			headedKey.Kind, valueKey.Kind = profilerecord.RefsUnknown, profilerecord.RefsUnknown
			largeKey.Kind, largeKey.Untyped, largeKey.Dynamic = profilerecord.RefsUnknown, true, 0
			want[headed], want[large], want[value] = headedKey, largeKey, valueKey
		}
		p.Verify()
		for n, key := range want {
			if got := p.At(n).Key; got != key {
				t.Errorf("%s: node %d is %+v, want %+v", test.name, n, got, key)
			}
		}
	}
}
