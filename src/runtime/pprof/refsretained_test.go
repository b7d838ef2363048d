// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pprof

import (
	"bytes"
	"errors"
	"fmt"
	"internal/profile"
	"internal/race"
	"io"
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

func TestMatchName(t *testing.T) {
	for _, test := range []struct {
		set, name string
		want      bool
	}{
		{"main.T", "main.T", true},
		{"main.T", "main.TT", false},
		{"main.T.f", "main.T.f *U", true},
		{"main.T.f *U", "main.T.f *U", true},
		{"main.T.f *V", "main.T.f *U", false},
		{"...", "main.T", true},
		{"main....", "main.T", true},
		{"...T", "main.T", true},
		{"...T", "main.T.f", false},
		{"m...i...T", "main.T", true},
		{"m...in...n.T", "main.T", false},
		{"ab...ba", "aba", false},
		{"map[string]*main.T[value]", "map[string]*main.T[value]", true},
		{"(timer)", "(timer) time.f", false},
		{"struct { n int; p *main.X }.p", "struct { n int; p *main.X }.p *main.X", true},
		{"main.F[struct { a int }].x", "main.F[struct { a int }].x []int", true},
		{"chan", "chan *main.T[elem]", false},
		{"[]main.I[elem]", "[]main.I[elem](*main.T)", true},
		{"[]main.I[elem](*main.T)", "[]main.I[elem](*main.T)", true},
		{"[]main.I[elem](*main.U)", "[]main.I[elem](*main.T)", false},
		{"[]func()[elem]", "[]func()[elem](main.f.func1)", true},
		{"[]func(int) error[elem]", "[]func(int) error[elem](main.f.func1)", true},
		{"[]func(int)", "[]func(int) error[elem](main.f.func1)", false},
		{"main.T.f", "main.T.f func(int) (int, error)(main.f)", true},
		{"map[string]chan", "map[string]chan int[value]", false},
		{"[]struct", "[]struct { p *main.X }[elem]", false},
		{"", "main.T", false},
		{"main....T", "main.T", true},
		{"main....T", "mainT", false},
		{"main.......T", "main.T", true},
		{"main.......T", "mainT", false},
		{strings.Repeat(".", 1000), "mainT", false}, // 333 times "...", and one dot
		{strings.Repeat(".", 1000), "main.T", true},
		{strings.Repeat(".", 1001), "main.T", false},
		{strings.Repeat(".", 1001), "a.b.c", true},
		{strings.Repeat(".", 999), "", true},
	} {
		if got := matchName(test.set, test.name); got != test.want {
			t.Errorf("matchName(%q, %q) = %v, want %v", test.set, test.name, got, test.want)
		}
	}
}

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
func (h *retainedHeap) size(reached []bool) (s RetainedSize) {
	for i, ok := range reached {
		if ok {
			s.Objects++
			s.Bytes += map[byte]int64{'a': 64, 'b': 96, 'c': 1024}[h.types[i]]
		}
	}
	return s
}

func (s RetainedSize) minus(t RetainedSize) RetainedSize {
	return RetainedSize{s.Objects - t.Objects, s.Bytes - t.Bytes}
}

// measureRetained measures sets, and returns the statistics and the profile.
func measureRetained(t *testing.T, r *Retained) (RetainedStats, *profile.Profile) {
	t.Helper()
	var buf bytes.Buffer
	stats, err := r.Write(&buf, 0)
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.Parse(&buf)
	if err != nil {
		t.Fatal(err)
	}
	return stats, p
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
		for _, set := range retainedSets {
			want := h.size(all).minus(h.size(h.reach(set)))
			r := Retained{Sets: []string{set.name}}
			stats, err := r.Write(io.Discard, 0)
			if errors.Is(err, ErrRetainedSets) && want.Objects == 0 {
				continue
			}
			if err != nil {
				t.Fatalf("seed %d, %d objects, set %s: %v", seed, n, set.name, err)
			}
			if stats.Sets[0] != want {
				t.Errorf("seed %d, %d objects: %s retains %+v, want %+v; all %+v", seed, n, set.name, stats.Sets[0], want, stats)
			}
		}
		for range 5 {
			x, y := retainedSets[rnd.IntN(len(retainedSets))], retainedSets[rnd.IntN(len(retainedSets))]
			reached := h.reach(x, y)
			both, second := h.size(all).minus(h.size(reached)), h.size(all).minus(h.size(h.reach(y)))
			r := Retained{Sets: []string{x.name, y.name}}
			stats, err := r.Write(io.Discard, 0)
			if errors.Is(err, ErrRetainedSets) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if stats.Sets[1] != second {
				t.Errorf("seed %d, %d objects: %s retains %+v after %s, want %+v; all %+v", seed, n, y.name, stats.Sets[1], x.name, second, stats)
			}
			if sum := (RetainedSize{stats.Sets[0].Objects + stats.Sets[1].Objects, stats.Sets[0].Bytes + stats.Sets[1].Bytes}); sum != both {
				t.Errorf("seed %d, %d objects: %s and %s retain %+v, want %+v", seed, n, x.name, y.name, sum, both)
			}
		}
	}
	retainedRootA, retainedRoots.b, retainedRoots.c = nil, nil, [3]*retainedC{}
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
		measureRetained(t, &Retained{Sets: []string{"runtime/pprof.retainedHolder"}})
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
			set := Retained{Sets: []string{"runtime/pprof.retainedHolder"}}
			before, _ := measureRetained(t, &set)
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
			after, _ := measureRetained(t, &set)
			free := before.Live - before.Unreached.Bytes - (after.Live - after.Unreached.Bytes)
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
	} {
		r := Retained{Sets: test.sets}
		stats, err := r.Write(io.Discard, 0)
		if err != nil {
			t.Errorf("%q: %v", test.sets, err)
			continue
		}
		for i, want := range test.want {
			if got := stats.Sets[i].Objects; got != want {
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
		stats, _ := measureRetained(t, &Retained{Sets: []string{"runtime/pprof.retainedHolder"}})
		if got := stats.Sets[0]; got != (RetainedSize{}) {
			t.Errorf("%d cleanups: retained is %+v, want nothing, because a cleanup has the block", n, got)
		}
		if n < 100 { // the next measurement must follow this one directly
			continue
		}
		stats, _ = measureRetained(t, &Retained{Sets: []string{"runtime/pprof.retainedOther"}})
		if got := stats.Sets[0]; got.Objects != 1 || stats.FreedLater.Objects < int64(n-1) {
			t.Errorf("%d cleanups: retained is %+v, and %+v is freed later, want 1 object and %d and some more", n, got, stats.FreedLater, n-1)
		}
	}
}

// retainedNoise is the number of bytes by which the rest of the heap may grow.
const retainedNoise = 32 << 10

// settleRetained runs four collections. After them, finalizers, cleanups and
// pools hold no more garbage.
func settleRetained() {
	for range 4 {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
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
	stats, p := measureRetained(t, &Retained{Sets: []string{"runtime/pprof.holdRetained.blocks"}})
	if got := stats.Sets[0]; got.Objects != retainedBlocks+1 || got.Bytes < want || got.Bytes > want+want/100 {
		t.Errorf("the variable retains %+v, want %d objects of %d bytes and some more", got, retainedBlocks+1, want)
	}
	var sum int64
	for _, s := range p.Sample {
		if got := s.Label["set"]; len(got) != 1 || got[0] != "runtime/pprof.holdRetained.blocks" {
			t.Errorf("label set is %q", got)
		}
		root := s.Location[len(s.Location)-1].Line[0].Function.Name
		if root != "(retained) runtime/pprof.holdRetained.blocks" {
			t.Errorf("root is %q", root)
		}
		sum += s.Value[1]
	}
	if sum != stats.Sets[0].Bytes {
		t.Errorf("samples have %d bytes, want %d", sum, stats.Sets[0].Bytes)
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
	set := Retained{Sets: []string{"runtime/pprof.retainedQueue"}}
	for range 5 {
		stats, err := set.Write(io.Discard, 0)
		if err != nil {
			t.Fatal(err)
		}
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

func TestRetainedErrors(t *testing.T) {
	for _, test := range []struct {
		sets []string
		want string
	}{
		{nil, "Sets is empty"},
		{[]string{""}, "a name has 0 bytes"},
		{[]string{strings.Repeat("x", maxSetBytes+1)}, "a name has 1025 bytes"},
		{[]string{"no/such.name"}, `the name "no/such.name"`},
		{[]string{"...", "no/such.name"}, `the name "no/such.name"`},
		{make([]string, 101), "101 sets are more than 100"},
	} {
		r := Retained{Sets: test.sets}
		_, err := r.Write(io.Discard, 0)
		if !errors.Is(err, ErrRetainedSets) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("sets %.50q: error %v, want %v with %s", test.sets, err, ErrRetainedSets, test.want)
		}
	}
	retainedHolder = newRetainedBlocks()
	defer func() { retainedHolder = nil }()
	failed := errors.New("failed")
	r := Retained{Sets: []string{"runtime/pprof.retainedHolder"}}
	for debug := range 2 {
		if _, err := r.Write(retainedWriter{failed}, debug); !errors.Is(err, failed) {
			t.Errorf("error %v, want the writer's", err)
		}
	}
	// During a measurement, another one fails. A panic ends a measurement.
	func() {
		defer func() {
			if got := recover(); got != failed {
				t.Errorf("Match panicked with %v, Write with %v", failed, got)
			}
		}()
		r := Retained{Sets: []string{"runtime/pprof.retainedHolder"}, Match: func(set, name string) bool {
			if _, err := r.Write(io.Discard, 0); err != ErrRetainedBusy {
				t.Errorf("error %v beside another measurement, want %v", err, ErrRetainedBusy)
			}
			panic(failed)
		}}
		r.Write(io.Discard, 0)
	}()
	if _, err := r.Write(io.Discard, 0); err != nil {
		t.Error(err)
	}
}

type retainedWriter struct{ err error }

func (w retainedWriter) Write([]byte) (int, error) { return 0, w.err }

// TestRetainedMatch uses a Match function, and members that an earlier call has
// found.
func TestRetainedMatch(t *testing.T) {
	retainedHolder = newRetainedBlocks()
	defer func() { retainedHolder = nil }()
	calls := 0
	r := Retained{Sets: []string{"blocks"}, Match: func(set, name string) bool {
		calls++
		return set == "blocks" && name == "pprof.retainedBlock"
	}}
	for i := range 3 {
		stats, _ := measureRetained(t, &r)
		want := RetainedSize{retainedBlocks, retainedBlocks << 10}
		if i == 2 {
			want = RetainedSize{}
		}
		if stats.Sets[0] != want {
			t.Errorf("retained is %+v, want %+v", stats.Sets[0], want)
		}
		if before := calls; i == 0 {
			calls = 0
		} else if before != 0 {
			t.Errorf("Match was called %d times for sets that are known", before)
		}
		if i == 1 {
			retainedHolder = nil
		}
	}
}

func TestRetainedText(t *testing.T) {
	retainedHolder = newRetainedBlocks()
	defer func() { retainedHolder = nil }()
	var buf bytes.Buffer
	r := Retained{Sets: []string{"runtime/pprof.retainedHolder", "pprof.retainedBlock"}}
	if _, err := r.Write(&buf, 1); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"retained profile: ",
		fmt.Sprintf(": retained by pprof.retainedBlock: %d bytes in %d objects\n", retainedBlocks<<10, retainedBlocks),
		"  retained {\"set\":\"pprof.retainedBlock\"}\n",
		"    pprof.retainedBlock\n",
	} {
		if !strings.Contains(buf.String(), want) {
			t.Errorf("the text has no %q:\n%s", want, buf.String())
		}
	}
}
