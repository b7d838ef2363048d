// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package refs_test

import (
	"internal/profilerecord"
	. "internal/runtime/refs"
	"slices"
	"testing"
	"unsafe"
)

// TestTimerCalls checks for which function a timer is. The names are those of
// package time: if it renames them, TestMark of cmd/heapgraph/internal/core and
// the corpus of the refs profile fail.
func TestTimerCalls(t *testing.T) {
	for _, test := range []struct {
		function string
		want     TimerCalls
	}{
		{"time.sendTime", TimerSends},
		{"time.goFunc", TimerCallsArgument},
		{"time.goFunc2", TimerCallsItself},
		{"runtime.goroutineReady", TimerCallsItself},
		{"", TimerCallsItself},
	} {
		if got := TimerCallsOf(test.function); got != test.want {
			t.Errorf("TimerCallsOf(%q) is %d, want %d", test.function, got, test.want)
		}
	}
}

// TestTimerKey checks of which type timers are. An object of another size is
// none, and a core file may not have the types.
//
//go:nocheckptr
func TestTimerKey(t *testing.T) {
	const pc = 7
	p := newProcess()
	ofTime, ofRuntime, other := new(timer), new([8]*int), new(*int)
	known, none := p.Known, p.Known
	known.Timer = typeFor[[8]*int]()
	none.TimeTimer = 0
	for _, test := range []struct {
		known  Known
		object any
		at     unsafe.Pointer
		want   uintptr
	}{
		{known, ofTime, unsafe.Pointer(ofTime), known.TimeTimer},
		{known, ofRuntime, unsafe.Pointer(ofRuntime), known.Timer},
		{known, other, unsafe.Pointer(other), 0},
		{none, ofTime, unsafe.Pointer(ofTime), 0},
	} {
		p.Known = test.known
		p.add(test.object)
		o, _ := p.object(uintptr(test.at))
		if got, want := p.TimerKey(pc, &o), (Key{Kind: profilerecord.RefsTimer, Place: pc, Type: test.want}); got != want {
			t.Errorf("timer of %T has the key %+v, want %+v", test.object, got, want)
		}
	}
}

// TestSpecialNodes checks that each kind of special has nodes of its own, and
// that those of one type or one function share a node.
func TestSpecialNodes(t *testing.T) {
	p := newProcess()
	nodes := func() []uint32 {
		finalizer := p.FinalizerNode(typeFor[small]())
		list := []uint32{finalizer, p.FinalizerNode(0), p.FinalizerQueueNode(), p.ModuleNode(1), p.ModuleNode(2)}
		for _, k := range []Key{CleanupKey(false, 1), CleanupKey(false, 2), CleanupKey(true, 1), WeakKey(), FunctionKey(finalizer), ArgumentKey(finalizer)} {
			list = append(list, p.Find(&k))
		}
		return list
	}
	first := nodes()
	if again := nodes(); !slices.Equal(again, first) {
		t.Errorf("nodes are %v and then %v", first, again)
	}
	slices.Sort(first)
	if distinct := slices.Compact(slices.Clone(first)); len(distinct) != len(first) {
		t.Errorf("nodes are not distinct: %v", first)
	}
}

// TestHolder checks to what references are attached.
func TestHolder(t *testing.T) {
	for _, test := range []struct {
		byNode, second bool
		want           Holder
	}{{false, false, HeldByObject}, {true, false, HeldByRoot}, {true, true, HeldByRoot}, {false, true, HeldAsOwned}} {
		if got := HolderOf(test.byNode, test.second); got != test.want {
			t.Errorf("HolderOf(%t, %t) is %d, want %d", test.byNode, test.second, got, test.want)
		}
	}
	for _, test := range []struct {
		special, dead bool
		want          Holder
	}{{false, false, HeldByRoot}, {false, true, HeldByRoot}, {true, false, HeldBySpecial}, {true, true, HeldAsOwned}} {
		if got := RootHolder(test.special, test.dead); got != test.want {
			t.Errorf("RootHolder(%t, %t) is %d, want %d", test.special, test.dead, got, test.want)
		}
	}
}
