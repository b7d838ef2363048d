// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package core

import (
	"internal/profilerecord"
	"maps"
	"reflect"
	"runtime"
	"testing"
	"time"
	"weak"
)

// A link is an element of a list. TestMark counts the elements of lists.
type link struct {
	next *link
	pad  [5]int
}

func newList(n int) (head *link) {
	for range n {
		head = &link{next: head}
	}
	return head
}

// Variables that hold lists, or objects by which the runtime holds lists.
var (
	listOfGlobal *link
	weakList     weak.Pointer[link]
	finalized    *[3]*int
	cleaned      *[4]*int
	weakTimer    weak.Pointer[time.Timer]
)

//go:noinline
func holdOnStack(n int, stop <-chan bool) {
	list := newList(n)
	<-stop
	runtime.KeepAlive(list)
}

// holdLists makes lists of different lengths. Each list but that of weakList is
// held by a kind of root that holds no other list.
//
//go:noinline
func holdLists(stop <-chan bool) {
	listOfGlobal, weakList = newList(100), weak.Make(newList(50))
	finalized, cleaned = new([3]*int), new([4]*int)
	list := newList(3)
	runtime.SetFinalizer(finalized, func(*[3]*int) { runtime.KeepAlive(list) })
	runtime.AddCleanup(cleaned, func(l *link) { runtime.KeepAlive(l) }, newList(4))
	other := newList(5)
	weakTimer = weak.Make(time.AfterFunc(time.Hour, func() { runtime.KeepAlive(other) }))
	go holdOnStack(6, stop)
}

// A log records the claims of a marker and counts the references that it finds.
type log struct {
	claims     map[uint64]uint32 // node of each object
	references map[uint64]int    // number for each target
}

func (l *log) reference(at, target uint64)                       { l.references[target]++ }
func (l *log) claim(object uint64, node uint32)                  { l.claims[object] = node }
func (l *log) root(g *goroutine, node uint32, target uint64)     { l.references[target]++ }
func (l *log) special(object uint64, node uint32, target uint64) { l.references[target]++ }
func (l *log) owned(at uint64, node uint32, target uint64)       { l.references[target]++ }
func (l *log) finalized(object uint64, node uint32)              {}

// TestMark counts the objects that roots hold, for each kind of root.
func TestMark(t *testing.T) {
	stop := make(chan bool)
	holdLists(stop)
	waitFor("holdOnStack")
	p := selfProcess(t)
	l := &log{make(map[uint64]uint32), make(map[uint64]int)}
	m := &marker{process: p, log: l, words: make([]uint32, p.heap.slots)}
	m.mark()
	counts := make(map[profilerecord.RefsKind]int)
	typ := p.typeOf(reflect.TypeFor[link]())
	for object, n := range l.claims {
		node := m.paths.At(n)
		if m.typeOfKey(node.Type) != typ {
			continue
		}
		for node.Parent != 0 {
			node = m.paths.At(node.Parent)
		}
		counts[node.Kind]++
		if l.references[object] != 1 {
			t.Errorf("%#x has %d references, want 1", object, l.references[object])
		}
	}
	want := map[profilerecord.RefsKind]int{
		profilerecord.RefsGlobal: 100, profilerecord.RefsFinalizer: 3, profilerecord.RefsCleanup: 4,
		profilerecord.RefsTimer: 5, profilerecord.RefsGoroutine: 6,
	}
	if !maps.Equal(counts, want) {
		t.Errorf("the objects are %v, want %v", counts, want)
	}
	if m.objects != uint64(len(l.claims)) {
		t.Errorf("%d objects are claimed, and %d are counted", len(l.claims), m.objects)
	}
	close(stop)
	weakTimer.Value().Stop()
	runtime.SetFinalizer(finalized, nil)
	listOfGlobal = nil
	runtime.KeepAlive(cleaned)
}
