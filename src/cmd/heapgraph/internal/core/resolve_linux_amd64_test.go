// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package core

import (
	"internal/profilerecord"
	"internal/refpath"
	"internal/runtime/refs"
	"slices"
	"sync/atomic"
	"testing"
	"unsafe"
)

// A holder has references of many kinds.
type holder struct {
	ptr      *recursive
	interior *string
	any      any
	method   interface{ Len() int }
	list     []recursive
	rows     [3][]string
	text     string
	m        map[string]*recursive
	c        chan *recursive
	f        func() *recursive
	atomic   atomic.Pointer[recursive]
	unsafe   unsafe.Pointer
	wrong    *[4]int // of another size
}

type lengths []int

func (l lengths) Len() int { return len(l) }

var kinds holder

//go:noinline
func fillKinds() {
	r := new(recursive)
	kinds = holder{
		ptr: new(recursive), interior: &new(generic[[3]string]).v[0], any: new(recursive), method: lengths{1, 2}, list: make([]recursive, 5),
		text: string([]byte("text of an object")), m: map[string]*recursive{"key": new(recursive)}, c: make(chan *recursive, 3),
		f: func() *recursive { return r }, unsafe: unsafe.Pointer(new([7]*int)), wrong: (*[4]int)(unsafe.Pointer(new([90]int))),
	}
	kinds.rows[2] = make([]string, 3)
	kinds.rows[2][1] = string([]byte("element"))
	kinds.c <- new(recursive)
	kinds.list[3].Next = new(recursive)
	kinds.atomic.Store(new(recursive))
}

// TestResolve checks the names of the references in a global variable and in
// the objects to which they lead, and the types of the objects.
func TestResolve(t *testing.T) {
	fillKinds()
	p := selfProcess(t)
	i, g := p.globalOf(addr(&kinds))
	if g == nil {
		t.Fatal("the variable is not there")
	}
	root := p.paths.Find(&refs.Key{Kind: profilerecord.RefsGlobal, Role: profilerecord.RefsVariable, Place: uintptr(i), Type: addressOf(g.typ.native())})
	var follow func(node uint32, start, at, pointer uint64)
	follow = func(node uint32, start, at, pointer uint64) {
		o, ok := p.find(pointer)
		if !ok {
			return
		}
		off := at - start
		if stride := uint64(p.paths.Stride(node)); stride != 0 {
			off %= stride
		}
		var k refs.Key
		target := o.target()
		p.paths.Resolve(&refs.Edge{From: node, Off: uintptr(off), Slot: uintptr(at), Val: uintptr(pointer)}, &target, &k)
		n := p.paths.Find(&k)
		p.pointers(&o, func(at, pointer uint64) { follow(n, o.data, at, pointer) })
	}
	p.modules[0].bss.pointers(g.addr, g.addr+g.size, func(at uint64) { follow(root, g.addr, at, p.word(at)) })
	namer := refpath.NewNamerOf(names{p}, p.records(), deepPC)
	var got [][2]string
	for i := range int(p.paths.Len()) {
		if name := namer.Name(i); i > int(root) {
			got = append(got, [2]string{name.Elem.Name, name.Objects})
		}
	}
	const owner = "cmd/heapgraph/internal/core."
	want := [][2]string{
		{owner + "holder.ptr *recursive", "core.recursive"},
		{owner + "holder.interior *string", "[]string"},
		{owner + "holder.any interface {}(*recursive)", "core.recursive"},
		{owner + "holder.method interface { Len() int }(lengths)", "core.lengths"},
		{"*core.lengths[elem]", "[]int"},
		{owner + "holder.list []recursive", "[]core.recursive"},
		{owner + "holder.rows []string", "[]string"},
		{"[]string[elem]", "string"},
		{owner + "holder.text string", "string"},
		{owner + "holder.m map[string]*recursive", "map[string]*core.recursive"},
		{"map[string]*core.recursive[table]", "map[string]*core.recursive"},
		{"map[string]*core.recursive[value]", "core.recursive"},
		{owner + "holder.c chan *recursive", "chan *core.recursive"},
		{"chan *core.recursive[buffer]", "chan *core.recursive"},
		{"chan *core.recursive[elem]", "core.recursive"},
		{owner + "holder.f func(" + owner + "fillKinds.func1)", "func(" + owner + "fillKinds.func1)"},
		{owner + "fillKinds.func1.r *recursive", "core.recursive"},
		{owner + "holder.atomic *recursive", "core.recursive"},
		{owner + "holder.unsafe (unknown)", "(unknown)"},
		{owner + "holder.wrong *[4]int", "(unknown)"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("the references are\n%q\nwant\n%q", got, want)
	}
}
