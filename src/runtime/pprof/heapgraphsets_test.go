// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pprof

import (
	"bytes"
	"debug/heapgraph"
	"errors"
	"fmt"
	"internal/race"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"
	"weak"
)

// The types of random heaps. The sizes of their objects, with the allocation
// header of a retainedC, are size classes on 64-bit and 32-bit systems.
type (
	retainedA struct {
		a    *retainedA
		b    *retainedB
		c    *retainedC
		rest [64 - 3*unsafe.Sizeof(uintptr(0))]byte
	}
	retainedB struct {
		a    *retainedA
		b    *retainedB
		c    *retainedC
		rest [96 - 3*unsafe.Sizeof(uintptr(0))]byte
	}
	retainedC struct {
		a    *retainedA
		b    *retainedB
		c    *retainedC
		rest [1024 - 8 - 3*unsafe.Sizeof(uintptr(0))]byte
	}
)

// The roots of random heaps.
var (
	retainedRootA *retainedA
	retainedRoots struct {
		b *retainedB
		c [3]*retainedC
	}
)

// A retainedHeap is a random heap, as the test knows it: objects by number.
type retainedHeap struct {
	types []byte // 'a', 'b' or 'c'
	refs  [][3]int
	roots [5]int // retainedRootA, retainedRoots.b, retainedRoots.c; -1 for none
}

// newRetainedHeap makes a random heap of n objects, and stores it in the roots.
func newRetainedHeap(rnd *rand.Rand, n int) *retainedHeap {
	h := &retainedHeap{refs: make([][3]int, n)}
	of := make(map[byte][]int)
	for i := range n {
		typ := "abc"[rnd.IntN(3)]
		h.types = append(h.types, typ)
		of[typ] = append(of[typ], i)
	}
	pick := func(typ byte, near int) int {
		all := of[typ]
		if len(all) == 0 || rnd.IntN(3) == 0 {
			return -1
		}
		if near >= 0 && rnd.IntN(10) != 0 { // in most cases, which makes a forest with some sharing and cycles
			i, _ := slices.BinarySearch(all, near+1+rnd.IntN(8))
			if i < len(all) {
				return all[i]
			}
			return -1
		}
		return all[rnd.IntN(len(all))]
	}
	for i := range n {
		h.refs[i] = [3]int{pick('a', i), pick('b', i), pick('c', i)}
	}
	for i, typ := range []byte("abccc") {
		h.roots[i] = pick(typ, -1)
	}
	h.build()
	return h
}

// build makes the objects.
func (h *retainedHeap) build() {
	as, bs, cs := make([]*retainedA, len(h.types)), make([]*retainedB, len(h.types)), make([]*retainedC, len(h.types))
	for i, typ := range h.types {
		switch typ {
		case 'a':
			as[i] = new(retainedA)
		case 'b':
			bs[i] = new(retainedB)
		case 'c':
			cs[i] = new(retainedC)
		}
	}
	for i, typ := range h.types {
		a, b, c := at(as, h.refs[i][0]), at(bs, h.refs[i][1]), at(cs, h.refs[i][2])
		switch typ {
		case 'a':
			as[i].a, as[i].b, as[i].c = a, b, c
		case 'b':
			bs[i].a, bs[i].b, bs[i].c = a, b, c
		case 'c':
			cs[i].a, cs[i].b, cs[i].c = a, b, c
		}
	}
	retainedRootA, retainedRoots.b = at(as, h.roots[0]), at(bs, h.roots[1])
	for i := range 3 {
		retainedRoots.c[i] = at(cs, h.roots[2+i])
	}
}

func at[T any](all []*T, i int) *T {
	if i < 0 {
		return nil
	}
	return all[i]
}

// A retainedSet is a set: its name, and its members. The members are the
// objects of type typ, roots, or references. roots has numbers of roots. The
// references are in objects of the type in from: those in the field with number
// field, or those in all fields if field is -1.
type retainedSet struct {
	name  string
	typ   byte
	roots []int
	from  byte
	field int
}

var retainedSets = []retainedSet{
	{name: "pprof.retainedA", typ: 'a'},
	{name: "runtime/pprof.retainedB", typ: 'b'},
	{name: "pprof.retainedC", typ: 'c'},
	{name: "runtime/pprof.retainedRootA", roots: []int{0}},
	{name: "runtime/pprof.retainedRoots", roots: []int{1, 2, 3, 4}},
	{name: "runtime/pprof.retainedRoots.b", roots: []int{1}},
	{name: "runtime/pprof.retainedA.b", from: 'a', field: 1},
	{name: "runtime/pprof.retainedC.c *retainedC", from: 'c', field: 2},
	{name: "runtime/pprof.retainedB.a", from: 'b', field: 0},
	{name: "runtime/pprof.retainedA....", from: 'a', field: -1},
}

// reach returns which objects are reached if the sets are cut.
func (h *retainedHeap) reach(sets ...retainedSet) []bool {
	is := func(cut func(s retainedSet) bool) bool { return slices.ContainsFunc(sets, cut) }
	reached := make([]bool, len(h.types))
	var todo []int
	visit := func(i int) {
		if i >= 0 && !reached[i] && !is(func(s retainedSet) bool { return s.typ == h.types[i] }) {
			reached[i] = true
			todo = append(todo, i)
		}
	}
	for r, i := range h.roots {
		if !is(func(s retainedSet) bool { return slices.Contains(s.roots, r) }) {
			visit(i)
		}
	}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for f, to := range h.refs[i] {
			if !is(func(s retainedSet) bool { return s.from == h.types[i] && (s.field == f || s.field < 0) }) {
				visit(to)
			}
		}
	}
	return reached
}

// size returns the number and size of the objects that are reached.
func (h *retainedHeap) size(reached []bool) (s heapgraph.Amount) {
	for i, ok := range reached {
		if ok {
			s.Objects++
			s.Bytes += map[byte]int64{'a': 64, 'b': 96, 'c': 1024}[h.types[i]]
		}
	}
	return s
}

// graphRetained takes a snapshot, and returns what sets retain.
func graphRetained(sets ...string) (*heapgraph.Retained, *heapgraph.Graph, error) {
	var buf bytes.Buffer
	if _, err := new(HeapGraph).Write(&buf); err != nil {
		return nil, nil, err
	}
	f, err := heapgraph.NewFile(bytes.NewReader(buf.Bytes()), int64(buf.Len()))
	if err != nil {
		return nil, nil, err
	}
	g, err := f.Graph(nil)
	if err != nil {
		return nil, nil, err
	}
	r, err := g.Retained(newSets(sets...)...)
	return r, g, err
}

func newSets(names ...string) []heapgraph.Set {
	sets := make([]heapgraph.Set, len(names))
	for i, name := range names {
		sets[i].Name = name
	}
	return sets
}

// measureRetained is graphRetained in a test where it succeeds.
func measureRetained(t *testing.T, sets ...string) *heapgraph.Retained {
	t.Helper()
	r, _, err := graphRetained(sets...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestRetained compares retained sizes in random heaps with the sizes of the
// objects that are not reached without the set.
func TestRetained(t *testing.T) {
	if !ownProcess(t) {
		return
	}
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 0))
	for _, n := range []int{1, 10, 1000, 20000} {
		h := newRetainedHeap(rnd, n)
		all := h.reach()
		_, g, err := graphRetained("...")
		if err != nil {
			t.Fatal(err)
		}
		for _, set := range retainedSets {
			want := h.size(all).Sub(h.size(h.reach(set)))
			r, err := g.Retained(newSets(set.name)...)
			if errors.Is(err, heapgraph.ErrSet) && want.Objects == 0 {
				continue
			}
			if err != nil {
				t.Fatalf("seed %d, %d objects, set %s: %v", seed, n, set.name, err)
			}
			if got := r.Sets[0].Amount; got != want {
				t.Errorf("seed %d, %d objects: %s retains %+v, want %+v", seed, n, set.name, got, want)
			}
			if got := sumOfPaths(&r.Sets[0]); got != want {
				t.Errorf("seed %d, %d objects: paths of %s add up to %+v, want %+v", seed, n, set.name, got, want)
			}
		}
		for range 20 {
			h.testTwo(t, g, retainedSets[rnd.IntN(len(retainedSets))], retainedSets[rnd.IntN(len(retainedSets))])
		}
		if t.Failed() {
			t.Logf("seed %d, %d objects", seed, n)
		}
	}
	retainedRootA, retainedRoots.b, retainedRoots.c = nil, nil, [3]*retainedC{}
}

// testTwo tests what two sets retain.
func (h *retainedHeap) testTwo(t *testing.T, g *heapgraph.Graph, x, y retainedSet) {
	all := h.size(h.reach())
	both, second := all.Sub(h.size(h.reach(x, y))), all.Sub(h.size(h.reach(y)))
	r, err := g.Retained(newSets(x.name, y.name)...)
	if errors.Is(err, heapgraph.ErrSet) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Sets[1].Amount; got != second {
		t.Errorf("%s retains %+v after %s, want %+v", y.name, got, x.name, second)
	}
	if sum := addAmounts(r.Sets[0].Amount, r.Sets[1].Amount); sum != both {
		t.Errorf("%s and %s retain %+v, want %+v", x.name, y.name, sum, both)
	}
}

// sumOfPaths returns the sum of the paths of a set.
func sumOfPaths(s *heapgraph.RetainedSet) (sum heapgraph.Amount) {
	for _, p := range s.Paths {
		sum = addAmounts(sum, p.Amount)
	}
	return sum
}

func addAmounts(a, b heapgraph.Amount) heapgraph.Amount {
	return heapgraph.Amount{Objects: a.Objects + b.Objects, Bytes: a.Bytes + b.Bytes}
}

// retainedHolder is the root of the heaps of TestRetainedKinds. retainedOther
// refers to a part of some of them.
var (
	retainedHolder any
	retainedOther  any
)

type retainedBlock struct{ data [1 << 10]byte }

type retainedRing struct {
	next *retainedRing
	data [1008]byte // the size of the object is 1024 with the allocation header
}

// retainedBlocks is the number of blocks of a heap of TestRetainedKinds.
const retainedBlocks = 2048

// newRetainedBlocks makes blocks in the heap.
//
//go:noinline
func newRetainedBlocks() []*retainedBlock {
	blocks := make([]*retainedBlock, retainedBlocks)
	for i := range blocks {
		blocks[i] = new(retainedBlock)
	}
	return blocks
}

// TestRetainedKinds compares the retained size of a variable with the bytes
// that are freed when the variable is cleared.
func TestRetainedKinds(t *testing.T) {
	if !ownProcess(t) {
		return
	}
	retainedHolder = newRetainedBlocks()
	for range 3 { // so that memory that measurements keep is not counted below
		measureRetained(t, "runtime/pprof.retainedHolder")
	}
	for _, test := range []struct {
		name  string
		build func() any
		least int64 // KiB of blocks that are retained; tables, for example, are retained in addition
		later int64 // KiB that are freed later
	}{
		{"slice", func() any { return newRetainedBlocks() }, retainedBlocks, 0},
		{"map", func() any {
			m := make(map[string]*retainedBlock)
			for i, b := range newRetainedBlocks() {
				m[fmt.Sprint("key of a block ", i)] = b
			}
			return m
		}, retainedBlocks, 0},
		{"channel", func() any {
			c := make(chan *retainedBlock, retainedBlocks)
			for _, b := range newRetainedBlocks() {
				c <- b
			}
			return c
		}, retainedBlocks, 0},
		{"closure", func() any {
			blocks := newRetainedBlocks()
			return func() int { return len(blocks) + len(blocks[0].data) }
		}, retainedBlocks, 0},
		{"interface", func() any {
			var list []any
			for _, b := range newRetainedBlocks() {
				list = append(list, *b)
			}
			return list
		}, retainedBlocks, 0},
		{"cycle", func() any {
			last := new(retainedRing)
			first := last
			for range retainedBlocks - 1 {
				first = &retainedRing{next: first}
			}
			last.next = first
			return first
		}, retainedBlocks, 0},
		{"interior", func() any {
			b := make([]byte, retainedBlocks<<10)
			return &b[len(b)/2]
		}, retainedBlocks, 0},
		{"shared", func() any {
			blocks := newRetainedBlocks()
			retainedOther = blocks[len(blocks)/2:]
			return blocks
		}, 0, 0}, // the array is shared
		{"shared blocks", func() any {
			blocks := newRetainedBlocks()
			retainedOther = slices.Clone(blocks[len(blocks)/2:])
			return blocks
		}, retainedBlocks / 2, 0},
		{"weak handles", func() any {
			list := make([]*retainedRing, retainedBlocks)
			for i := range list {
				list[i] = new(retainedRing)
				weak.Make(list[i])
			}
			return list
		}, retainedBlocks, retainedBlocks >> 10 * 2 * int64(unsafe.Sizeof(uintptr(0)))},
		{"weak", func() any {
			blocks := newRetainedBlocks()
			retainedOther = weak.Make(blocks[0])
			return blocks
		}, retainedBlocks, 0},
		{"tiny", func() any {
			list := make([]*byte, 0, retainedBlocks<<6)
			for range cap(list) {
				list = append(list, new(byte))
			}
			return list
		}, retainedBlocks >> 4 * (int64(unsafe.Sizeof(uintptr(0))) + 1), 0},
		{"finalizer", func() any {
			blocks := newRetainedBlocks()
			runtime.SetFinalizer(blocks[0], func(*retainedBlock) {})
			return blocks
		}, retainedBlocks, 0},
		{"cleanup", func() any {
			blocks := newRetainedBlocks()
			runtime.AddCleanup(blocks[0], func([]*retainedBlock) {}, newRetainedBlocks())
			return blocks
		}, retainedBlocks, retainedBlocks},
		{"cleanup of a live object", func() any {
			live, both := new(retainedBlock), newRetainedBlocks()
			runtime.AddCleanup(live, func([]*retainedBlock) {}, both)
			retainedOther = live
			return &both[0]
		}, 0, 0},
		{"wide", func() any {
			var v [200]*retainedBlock
			copy(v[:], newRetainedBlocks())
			return &v
		}, 200, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.name == "tiny" && race.Enabled {
				t.Skip("the race detector has no tiny blocks")
			}
			retainedHolder, retainedOther = test.build(), nil
			retainedHolder = test.build() // build also sets retainedOther
			defer func() { retainedHolder, retainedOther = nil, nil }()
			settleRetained()
			before := measureRetained(t, "runtime/pprof.retainedHolder")
			got := before.Sets[0].Bytes
			if least := test.least << 10; got < least || got > least+least/4+retainedNoise {
				t.Errorf("retains %d bytes, want %d and some more", got, least)
			}
			if later, want := before.FreedLater.Bytes, test.later<<10; later < want || later > want+retainedNoise {
				t.Errorf("%d bytes are freed later, want %d and some more", later, want)
			}
			retainedHolder = retainedOther
			settleRetained()
			retainedHolder = nil
			after := measureRetained(t, "...") // nothing has the variable's name now
			free := reached(before).Sub(reached(after)).Bytes
			if want := got + before.FreedLater.Bytes; free < want-retainedNoise || free > want+retainedNoise {
				t.Errorf("%d bytes are free when the variable is cleared, want the %d that it retained", free, want)
			}
		})
	}
}

// The heap of TestRetainedNames. The objects of retainedOuter have allocation
// headers.
type (
	retainedTwo  struct{ a, b *retainedBlock }
	retainedLink struct {
		next  *retainedLink
		block *retainedBlock
	}
	retainedOuter struct {
		blocks [100]*retainedBlock
		link   retainedLink
	}
)

var retainedNames struct {
	two      *retainedTwo
	pair     struct{ first, second *retainedBlock }
	links    [4]*retainedLink
	captures func() int
	inner    *retainedLink
	keys     map[int32]*retainedBlock
	channel  chan *retainedBlock
	any      retainedAny
	list     []any
}

type retainedAny struct{ x, y any }

//go:noinline
func captureRetained(n int) func() int {
	captured := retainedTwo{new(retainedBlock), new(retainedBlock)}
	return func() int { return int(captured.a.data[n]) + int(captured.b.data[n]) }
}

// TestRetainedNames measures sets whose references the first recording does not
// have, because other references reach the same objects before them. It also
// measures sets of references whose names differ from those of their objects.
func TestRetainedNames(t *testing.T) {
	if !ownProcess(t) {
		return
	}
	h := &retainedNames
	defer func() { clear(unsafe.Slice(h, 1)) }()
	block := new(retainedBlock)
	h.two = &retainedTwo{block, block} // captureRetained has another retainedTwo
	h.pair.first = new(retainedBlock)
	h.pair.second = h.pair.first
	for i := range h.links {
		next := &retainedLink{nil, new(retainedBlock)}
		h.links[i] = &retainedLink{&retainedLink{next, nil}, next.block}
	}
	h.captures = captureRetained(1)
	h.inner = &(&retainedOuter{blocks: [100]*retainedBlock{new(retainedBlock)}}).link
	h.keys = map[int32]*retainedBlock{1: new(retainedBlock), 2: new(retainedBlock)}
	h.channel = make(chan *retainedBlock, 2)
	h.channel <- new(retainedBlock)
	h.channel <- new(retainedBlock)
	h.any = retainedAny{h.two, &retainedTwo{b: new(retainedBlock)}}
	h.list = []any{new(retainedBlock), new(retainedRing), new(retainedBlock)}
	_, g, err := graphRetained("...")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		sets []string
		want []int64 // number of objects for each set
	}{
		{[]string{"runtime/pprof.retainedTwo.a"}, []int64{1}},
		{[]string{"runtime/pprof.retainedTwo.a", "runtime/pprof.retainedTwo.b"}, []int64{2, 2}},
		{[]string{"runtime/pprof.retainedTwo...."}, []int64{4}},
		{[]string{"runtime/pprof.retainedNames.pair...."}, []int64{1}},
		{[]string{"runtime/pprof.retainedNames.pair.first"}, []int64{0}},
		{[]string{"runtime/pprof.retainedLink.next"}, []int64{8}},
		{[]string{"runtime/pprof.retainedLink...."}, []int64{12}},
		{[]string{"runtime/pprof.captureRetained.func1.captured"}, []int64{2}},
		{[]string{"pprof.retainedOuter"}, []int64{2}},
		{[]string{"map[int32]*pprof.retainedBlock[table]"}, []int64{3}},
		{[]string{"map[int32]*pprof.retainedBlock[..."}, []int64{3}},
		{[]string{"map[int32]*pprof.retainedBlock[value]"}, []int64{2}},
		{[]string{"chan *pprof.retainedBlock[buffer]"}, []int64{3}},
		{[]string{"chan *pprof.retainedBlock[buffer]", "chan *pprof.retainedBlock[elem]"}, []int64{1, 2}},
		{[]string{"runtime/pprof.retainedNames.any...."}, []int64{2}},
		{[]string{"runtime/pprof.retainedNames.any.y interface {}(*retainedTwo)"}, []int64{2}},
		{[]string{"runtime/pprof.retainedNames.any.y"}, []int64{2}},
		{[]string{"[]interface {}[elem](*pprof.retainedBlock)"}, []int64{2}},
		{[]string{"[]interface {}[elem](*pprof.retainedRing)"}, []int64{1}},
		{[]string{"[]interface {}[elem]"}, []int64{3}},
		{[]string{"[]interface {}"}, []int64{4}},
	} {
		r, err := g.Retained(newSets(test.sets...)...)
		if err != nil {
			t.Errorf("%q: %v", test.sets, err)
			continue
		}
		for i, want := range test.want {
			if got := r.Sets[i].Objects; got != want {
				t.Errorf("%q: %s retains %d objects, want %d", test.sets, test.sets[i], got, want)
			}
		}
	}
}

// TestRetainedCleanups has rows of objects. In a row, each object is the
// argument of the cleanup of the next one. The last object is reached from
// outside, and through the cleanups so are all the others.
func TestRetainedCleanups(t *testing.T) {
	if !ownProcess(t) {
		return
	}
	defer func() { retainedHolder, retainedOther = nil, nil }()
	for _, n := range []int{1, 2, 3, 4, 5, 100} {
		block := new(retainedBlock)
		retainedHolder = block
		row := new(retainedRing)
		runtime.AddCleanup(row, func(*retainedBlock) {}, block)
		for range n - 1 {
			next := new(retainedRing)
			runtime.AddCleanup(next, func(*retainedRing) {}, row)
			row = next
		}
		retainedOther = row
		settleRetained() // until the cleanups of the previous row have run
		stats := measureRetained(t, "runtime/pprof.retainedHolder")
		if got := stats.Sets[0].Amount; got != (heapgraph.Amount{}) {
			t.Errorf("%d cleanups: retained is %+v, want nothing, because a cleanup has the block", n, got)
		}
		if n < 100 { // the next measurement must follow this one directly
			continue
		}
		stats = measureRetained(t, "runtime/pprof.retainedOther")
		if got := stats.Sets[0]; got.Objects != 1 || stats.FreedLater.Objects < int64(n-1) {
			t.Errorf("%d cleanups: retained is %+v, and %+v is freed later, want 1 object and %d and some more", n, got, stats.FreedLater, n-1)
		}
	}
}

// retainedNoise is the number of bytes by which the rest of the heap may grow.
const retainedNoise = 32 << 10

// settleRetained runs four collections or more. After them, finalizers, cleanups
// and pools hold no more garbage.
func settleRetained() {
	start := time.Now()
	_, last := retainedQueues()
	for n := 1; time.Since(start) < time.Minute; n++ {
		runtime.GC()
		waiting, queued := retainedQueues()
		for ; waiting > 0 && time.Since(start) < time.Minute; waiting, _ = retainedQueues() {
			time.Sleep(time.Millisecond)
		}
		if n >= 4 && queued == last {
			return
		}
		last = queued
	}
}

// retainedQueues returns the number of finalizers and cleanups that have not
// run, although collections have queued them, and of all that have been queued.
func retainedQueues() (waiting, queued int64) {
	n := readBytes("/gc/finalizers/executed:finalizers", "/gc/cleanups/executed:cleanups",
		"/gc/finalizers/queued:finalizers", "/gc/cleanups/queued:cleanups")
	return n[2] + n[3] - n[0] - n[1], n[2] + n[3]
}

// TestRetainedVariable measures the retained size of a variable of a function.
func TestRetainedVariable(t *testing.T) {
	if !ownProcess(t) {
		return
	}
	ready, wait := make(chan bool), make(chan bool)
	go holdRetained(ready, wait)
	<-ready
	defer func() { close(wait); <-ready }()
	const want = retainedBlocks * (1<<10 + int64(unsafe.Sizeof(uintptr(0))))
	stats := measureRetained(t, "runtime/pprof.holdRetained.blocks")
	if got := stats.Sets[0]; got.Objects != retainedBlocks+1 || got.Bytes < want || got.Bytes > want+want/100 {
		t.Errorf("the variable retains %+v, want %d objects of %d bytes and some more", got, retainedBlocks+1, want)
	}
	for _, p := range stats.Sets[0].Paths {
		if member := "runtime/pprof.holdRetained.blocks []*retainedBlock"; p.Path[0] != member {
			t.Errorf("path is %q, want %q first", p.Path, member)
		}
	}
	if got, want := sumOfPaths(&stats.Sets[0]), stats.Sets[0].Amount; got != want {
		t.Errorf("paths add up to %+v, want %+v", got, want)
	}
}

//go:noinline
func holdRetained(ready, wait chan bool) {
	defer close(ready)
	blocks := newRetainedBlocks()
	ready <- true
	<-wait
	for _, b := range blocks {
		b.data[0]++
	}
}

// retainedQueue has the blocks that TestRetainedMutators moves.
var retainedQueue struct {
	sync.Mutex
	blocks [4096]*retainedRing // an array, because stacks would refer to a slice
}

// TestRetainedMutators measures the retained size of a variable while
// goroutines exchange the objects in it and replace some.
func TestRetainedMutators(t *testing.T) {
	const want = int64(len(retainedQueue.blocks)) << 10
	for i := range retainedQueue.blocks {
		retainedQueue.blocks[i] = new(retainedRing)
	}
	stop := make(chan bool)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() { moveRetained(stop, rand.New(rand.NewPCG(uint64(i), 1)), i%2 == 0) })
	}
	defer func() {
		close(stop)
		wg.Wait()
		clear(retainedQueue.blocks[:])
	}()
	for range 5 {
		stats := measureRetained(t, "runtime/pprof.retainedQueue")
		got := stats.Sets[0].Bytes + stats.Unreached.Bytes // a goroutine may hold some
		if got < want-want/100 || stats.Sets[0].Bytes > want+want/100+64<<10 {
			t.Errorf("retained are %d bytes, and not reached %d, want %d", stats.Sets[0].Bytes, stats.Unreached.Bytes, want)
		}
	}
}

// moveRetained exchanges blocks, and replaces some, until stop is closed.
func moveRetained(stop chan bool, rnd *rand.Rand, locked bool) {
	runtime.LockOSThread()
	if !locked {
		runtime.UnlockOSThread()
	}
	for {
		select {
		case <-stop:
			return
		default:
		}
		retainedQueue.Lock()
		b := &retainedQueue.blocks
		i, j := rnd.IntN(len(b)), rnd.IntN(len(b))
		b[i], b[j] = b[j], b[i]
		if k := rnd.IntN(len(b)); rnd.IntN(100) == 0 {
			b[k] = new(retainedRing)
		}
		retainedQueue.Unlock()
		if rnd.IntN(1000) == 0 {
			time.Sleep(time.Microsecond)
		}
	}
}

// reached returns the number and size of the objects of which it is known what
// holds them.
func reached(r *heapgraph.Retained) heapgraph.Amount {
	sum := addAmounts(r.Outside, r.FreedLater)
	for _, s := range r.Sets {
		sum = addAmounts(sum, s.Amount)
	}
	return sum
}

func TestRetainedErrors(t *testing.T) {
	_, g, err := graphRetained("...")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		sets []string
		want string
	}{
		{nil, "there are 0 sets"},
		{[]string{""}, `the name ""`},
		{[]string{"no/such.name"}, `the name "no/such.name"`},
		{[]string{"...", "no/such.name"}, `the name "no/such.name"`},
		{make([]string, 101), "there are 101 sets"},
	} {
		_, err := g.Retained(newSets(test.sets...)...)
		if !errors.Is(err, heapgraph.ErrSet) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("sets %.50q: error %v, want %v with %s", test.sets, err, heapgraph.ErrSet, test.want)
		}
	}
}

// TestRetainedMatch uses a Match function.
func TestRetainedMatch(t *testing.T) {
	retainedHolder = newRetainedBlocks()
	defer func() { retainedHolder = nil }()
	_, g, err := graphRetained("...")
	if err != nil {
		t.Fatal(err)
	}
	r, err := g.Retained(heapgraph.Set{Match: func(name string) bool { return name == "pprof.retainedBlock" }})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := r.Sets[0].Amount, (heapgraph.Amount{Objects: retainedBlocks, Bytes: retainedBlocks << 10}); got != want {
		t.Errorf("retained is %+v, want %+v", got, want)
	}
}
