// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// These tests check unused_space of maps and channels: entries that were
// deleted, and places that no entry has had yet.

package pprof

import (
	"internal/abi"
	"internal/asan"
	"internal/profile"
	"internal/race"
	"internal/runtime/maps"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"
)

// unusedEntries has the maps and channels of the test.
var unusedEntries unusedEntriesHolder

type unusedEntriesHolder struct {
	small   []map[int]*int
	wide    []map[[90]byte]int
	numbers []map[int]int
	texts   []map[string]string
	distant []map[[200]byte][300]byte
	empty   []chan struct{}
	ints    []chan int
	bytes   []chan [3]byte
	ptrs    []chan *int
}

// An unusedUse has the bytes that the maps or channels of a field use: for their
// entries, and those that do not depend on the entries.
type unusedUse struct{ used, fixed int64 }

// addUnusedMap makes a map of n entries, and deletes some.
func addUnusedMap[K comparable, V any](list *[]map[K]V, r *rand.Rand, n int, key func(i int) K, use *unusedUse) {
	m := make(map[K]V)
	var zero V
	for i := range n {
		m[key(i)] = zero
	}
	for i := range r.IntN(n + 1) {
		delete(m, key(i))
	}
	*list = append(*list, m)
	use.add(m)
}

// add adds what the map m uses.
func (use *unusedUse) add(m any) {
	v := reflect.ValueOf(m)
	t := (*abi.MapType)(unsafe.Pointer(abi.TypeOf(m)))
	use.used += int64(v.Len()) * int64(t.GroupSize/8)
	dir := *(*unsafe.Pointer)(unsafe.Add(v.UnsafePointer(), maps.RefsMapDirPtr))
	length := *(*int)(unsafe.Add(v.UnsafePointer(), maps.RefsMapDirLen))
	tables := make(map[unsafe.Pointer]bool)
	for _, table := range unsafe.Slice((*unsafe.Pointer)(dir), length) {
		tables[table] = true
	}
	use.fixed += int64(length)*scanWord + int64(len(tables))*int64(maps.RefsTableSize)
}

// addUnusedChan makes a channel with room for n elements, some of which it has.
// fixed are the bytes that do not depend on n.
func addUnusedChan[E any](list *[]chan E, r *rand.Rand, n int, fixed int64, use *unusedUse) {
	c := make(chan E, n)
	var zero E
	for range r.IntN(n + 1) {
		c <- zero
	}
	if n > 1 && len(c) > 1 {
		<-c // so that the first element is not at the beginning
	}
	*list = append(*list, c)
	use.used += int64(len(c)) * int64(unsafe.Sizeof(zero))
	use.fixed += fixed
}

// unusedEntriesUse returns the used bytes of channels and of the storage of maps
// and channels below each field.
func unusedEntriesUse(p *profile.Profile) map[string]int64 {
	use := make(map[string]int64)
	for _, s := range p.Sample {
		var path []string
		for _, l := range slices.Backward(s.Location) {
			path = append(path, l.Line[0].Function.Name)
		}
		all := strings.Join(path, " > ")
		_, field, ok := strings.Cut(all, "pprof.unusedEntriesHolder.")
		if !ok {
			continue
		}
		field, _, _ = strings.Cut(field, " ")
		leaf := path[len(path)-1]
		if strings.HasSuffix(leaf, "[table]") || strings.HasSuffix(leaf, "[buffer]") || strings.HasPrefix(leaf, "[]chan ") && strings.HasSuffix(leaf, "[elem]") {
			use[field] += s.Value[1] - s.Value[3]
		}
	}
	return use
}

// TestUnusedEntries compares the used bytes of maps and channels with what their
// lengths say.
func TestUnusedEntries(t *testing.T) {
	if race.Enabled || asan.Enabled {
		t.Skip("objects have other sizes")
	}
	h := &unusedEntries
	defer func() { *h = unusedEntriesHolder{} }()
	want := make(map[string]*unusedUse)
	for field := range reflect.TypeFor[unusedEntriesHolder]().Fields() {
		want[field.Name] = new(unusedUse)
	}
	h.empty = []chan struct{}{make(chan struct{})}
	header := unusedEntriesUse(takeProfile(t, "refs"))["empty"]
	want["empty"].fixed = header
	if header <= 0 {
		t.Fatalf("a channel uses %d bytes", header)
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		addUnusedMap(&h.small, r, 1+r.IntN(8), func(i int) int { return i }, want["small"])
		addUnusedMap(&h.wide, r, 1+r.IntN(20), func(i int) (k [90]byte) { k[i] = 1; return k }, want["wide"])
		addUnusedMap(&h.numbers, r, 1+r.IntN(5000), func(i int) int { return i * i }, want["numbers"])
		addUnusedMap(&h.texts, r, 9+r.IntN(900), func(i int) string { return strings.Repeat("x", i) }, want["texts"])
		addUnusedMap(&h.distant, r, 1+r.IntN(100), func(i int) (k [200]byte) { k[i] = 1; return k }, want["distant"])
		addUnusedChan(&h.ints, r, 1+r.IntN(2000), header, want["ints"])
		addUnusedChan(&h.bytes, r, 1+r.IntN(100), header, want["bytes"])
		addUnusedChan(&h.ptrs, r, 1+r.IntN(2000), header, want["ptrs"])
	}
	check := func(when string) {
		got := unusedEntriesUse(takeProfile(t, "refs"))
		for field, want := range want {
			if got[field] != want.fixed+want.used {
				t.Errorf("%s: %s: %d bytes used, want %+v", when, field, got[field], *want)
			}
		}
	}
	check("at rest")
	clear(h.texts[0])
	h.texts[0]["a"] = ""
	want["texts"] = new(unusedUse)
	for _, m := range h.texts {
		want["texts"].add(m)
	}
	for range h.texts[0] {
		check("with an iterator")
	}
	for range h.wide[0] {
		check("with an iterator")
	}
}

// unusedWaits are ways to wait for elements of a channel.
var unusedWaits = []struct {
	name string
	wait func(h *unusedWaited)
}{
	{"range of a field", func(h *unusedWaited) {
		for range h.c {
		}
	}},
	{"range of a variable", func(h *unusedWaited) {
		c := h.c
		for range c {
		}
	}},
	{"receive", func(h *unusedWaited) { <-h.c }},
	{"select", func(h *unusedWaited) {
		select {
		case <-h.c:
		case <-h.never:
		}
	}},
	{"generic", func(h *unusedWaited) { unusedReceive(h.c) }},
}

// An unusedWaited has a channel for which a goroutine waits.
type unusedWaited struct {
	c     chan int
	never chan int
}

// unusedWaitHeld holds the channels of TestUnusedWait.
var unusedWaitHeld []*unusedWaited

//go:noinline
func unusedReceive[E any](c chan E) { <-c }

// TestUnusedWait checks that a channel is not used as a whole because a
// goroutine waits for its elements.
func TestUnusedWait(t *testing.T) {
	if race.Enabled || asan.Enabled {
		t.Skip("objects have other sizes")
	}
	const n = 5000
	for _, test := range unusedWaits {
		h := &unusedWaited{make(chan int, n), make(chan int)}
		unusedWaitHeld = append(unusedWaitHeld[:0], h)
		var wg sync.WaitGroup
		wg.Go(func() { test.wait(h) })
		for !unusedWaiting() {
			runtime.Gosched()
		}
		var unused, live int64
		for _, s := range takeProfile(t, "refs").Sample {
			if s.Location[0].Line[0].Function.Name == "runtime/pprof.unusedWaited.c chan int" {
				live, unused = live+s.Value[1], unused+s.Value[3]
			}
		}
		if live < n*scanWord || unused < n*scanWord {
			t.Errorf("%s: %d of %d bytes unused", test.name, unused, live)
		}
		close(h.c)
		wg.Wait()
	}
	unusedWaitHeld = nil
}

// unusedWaiting reports whether the goroutine of the test waits.
func unusedWaiting() bool {
	all := make([]byte, 1<<20)
	all = all[:runtime.Stack(all, true)]
	for stack := range strings.SplitSeq(string(all), "\n\n") {
		if strings.Contains(stack, "pprof.TestUnusedWait.func") {
			return strings.Contains(stack, " [chan receive]:") || strings.Contains(stack, " [select]:")
		}
	}
	return false
}
