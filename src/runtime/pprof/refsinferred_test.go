// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pprof

import (
	"fmt"
	"maps"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"unsafe"
)

// Objects of two words. Those of refsFirst, refsSame and refsHidden have a
// pointer in the first word, and that of refsLast has one in the second.
type (
	refsFirst struct {
		p *int
		n int
	}
	refsSame struct {
		q *string
		m uint
	}
	refsHidden struct {
		r *bool
		k int
	}
	refsLast struct {
		n int
		p *int
	}
	refsThree struct {
		p    *int
		a, b int
	}
)

// Objects of six words. Below those of refsOwner are refsThrees, which have
// pointers in other words than a refsMiddle.
type (
	refsOwner struct {
		three *refsThree
		rest  [5]int
	}
	refsImpostor struct {
		middle *refsMiddle
		rest   [5]uint
	}
	refsMiddle struct {
		a int
		p *int
		b int
	}
)

// A refsContainers leads to all kinds of objects that have no type of their own.
type refsContainers struct {
	small, large map[string]*refsThree
	numbers      map[int]int
	buffer       chan refsThree
	one          chan int
	array        []refsThree
	pointers     []*refsThree
	any          any
	stringer     fmt.Stringer
	call         func() *refsThree
	rest         [20]int
}

func (s *refsOwner) String() string { return "owner" }

func newRefsContainers() *refsContainers {
	three := new(refsThree)
	c := &refsContainers{
		small: map[string]*refsThree{"key": new(refsThree)}, large: make(map[string]*refsThree), numbers: map[int]int{1: 1},
		buffer: make(chan refsThree, 5), one: make(chan int, 1), array: make([]refsThree, 3), pointers: []*refsThree{new(refsThree), new(refsThree)},
		any: new(refsThree), stringer: &refsOwner{three: new(refsThree)}, call: func() *refsThree { return three },
	}
	for i := range 20 {
		c.large[fmt.Sprint("key ", i)] = new(refsThree)
	}
	return c
}

type refsSession struct {
	user string
	buf  []byte
}

type refsEntry struct {
	key   string
	value *refsSession
	next  unsafe.Pointer // *refsEntry
}

// A refsOther has the size and the pointers of a refsEntry.
type refsOther struct {
	name  string
	child *refsThree
	next  unsafe.Pointer // *refsOther
}

// refsPointers holds the objects of a case.
var refsPointers struct {
	buckets     [8]unsafe.Pointer
	list, other []unsafe.Pointer
	typed       []*refsContainers
}

const refsInferredObjects = 4000

// TestRefsInferred has objects to which only unsafe.Pointers refer. Their types
// are those of the samples at the same element, if these agree.
func TestRefsInferred(t *testing.T) {
	const n = refsInferredObjects
	p := &refsPointers
	for _, test := range []struct {
		name  string
		build func()
		want  map[string]int64
	}{
		{"map", func() { buildRefsMap() }, map[string]int64{"pprof.refsEntry": n, "pprof.refsSession": n, "[]uint8": n, "string": 2 * n}},
		{"one list", func() {
			for range n {
				p.buckets[0] = unsafe.Pointer(&refsEntry{next: p.buckets[0]})
			}
		}, map[string]int64{"pprof.refsEntry": n}},
		{"two maps", func() {
			for i := range n {
				p.list = append(p.list, unsafe.Pointer(&refsEntry{next: unsafe.Pointer(&refsEntry{})}))
				if i%4 == 0 {
					p.other = append(p.other, unsafe.Pointer(&refsOther{next: unsafe.Pointer(&refsOther{})}))
				}
			}
		}, map[string]int64{"pprof.refsEntry": 2 * n, "pprof.refsOther": n / 4, "(unknown)": n / 4}}, // what next leads to is taken for an entry first
		{"list", func() { p.list = pointersTo[refsFirst](n) }, map[string]int64{"pprof.refsFirst": n}},
		{"two types", func() { p.list = append(pointersTo[refsFirst](n), pointersTo[refsSame](n)...) }, map[string]int64{"(unknown)": 2 * n}},
		{"two types and pointers", func() { p.list = append(pointersTo[refsFirst](n), pointersTo[refsLast](n)...) },
			map[string]int64{"pprof.refsFirst": n, "pprof.refsLast": n}},
		{"two types and sizes", func() { p.list = append(pointersTo[refsFirst](n), pointersTo[refsThree](n)...) },
			map[string]int64{"pprof.refsFirst": n, "pprof.refsThree": n}},
		{"other pointers", func() {
			p.list = pointersTo[refsFirst](n)
			withoutSamples(func() { p.list = append(p.list, pointersTo[refsLast](n)...) })
		}, map[string]int64{"pprof.refsFirst": n, "(unknown)": n}},
		{"other size", func() {
			p.list = pointersTo[refsFirst](n)
			withoutSamples(func() { p.list = append(p.list, pointersTo[refsThree](n)...) })
		}, map[string]int64{"pprof.refsFirst": n, "(unknown)": n}},
		{"other place", func() {
			p.list = pointersTo[refsFirst](n)
			withoutSamples(func() { p.other = pointersTo[refsHidden](n) })
		}, map[string]int64{"pprof.refsFirst": n, "(unknown)": n}},
		{"other pointers below", func() {
			for range n {
				p.list = append(p.list, unsafe.Pointer(&refsOwner{three: new(refsThree)}))
			}
			withoutSamples(func() {
				for range n {
					p.list = append(p.list, unsafe.Pointer(&refsImpostor{middle: new(refsMiddle)}))
				}
			})
		}, map[string]int64{"pprof.refsOwner": 2 * n, "pprof.refsThree": n, "(unknown)": n}},
		{"types made by reflect", func() {
			made := reflect.StructOf([]reflect.StructField{{Name: "P", Type: reflect.TypeFor[*int]()}, {Name: "N", Type: reflect.TypeFor[int]()}})
			for i := range n {
				if p.list = append(p.list, unsafe.Pointer(new(refsFirst))); i%4 > 0 {
					p.list[i] = reflect.New(made).UnsafePointer()
				}
			}
		}, map[string]int64{"(unknown)": n}},
		{"arrays", func() { p.list = pointersTo[[5]refsFirst](n) }, map[string]int64{"pprof.refsFirst": n}},
		{"without pointers", func() { p.list = pointersTo[[5]int](n) }, map[string]int64{"(unknown)": n}},
		{"no samples", func() { withoutSamples(buildRefsMap) }, map[string]int64{"(unknown)": 5 * n}},
	} {
		for _, procs := range []int{2, 32} {
			t.Run(fmt.Sprint(test.name, "/", procs), func(t *testing.T) {
				defer func(rate int) { runtime.MemProfileRate = rate }(runtime.MemProfileRate)
				runtime.MemProfileRate = 256
				clear(p.buckets[:])
				p.list, p.other = nil, nil
				test.build()
				runtime.GC() // what earlier tests have left would count
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
				got := refsPointed(t)
				delete(got, "[]unsafe.Pointer") // the arrays of the slices
				if !maps.Equal(got, test.want) {
					t.Errorf("objects by type: %v, want %v", got, test.want)
				}
			})
		}
	}
	clear(p.buckets[:])
	p.list, p.other = nil, nil
}

// TestRefsInferredBelow has objects of all kinds below those whose type is
// inferred. They have the types that they have below others.
func TestRefsInferredBelow(t *testing.T) {
	defer func(rate int) { runtime.MemProfileRate = rate }(runtime.MemProfileRate)
	runtime.MemProfileRate = 256
	p := &refsPointers
	for range refsInferredObjects / 10 {
		p.typed = append(p.typed, newRefsContainers())
	}
	want := refsPointed(t)
	for _, c := range p.typed {
		p.list = append(p.list, unsafe.Pointer(c))
	}
	p.typed = nil
	got := refsPointed(t)
	p.list = nil
	delete(want, "[]*pprof.refsContainers")
	delete(got, "[]unsafe.Pointer")
	if !maps.Equal(got, want) || len(want) < 10 {
		t.Errorf("objects by type: %v, want %v", got, want)
	}
}

type refsGenericEntry[K comparable, V any] struct {
	key   K
	value V
	next  unsafe.Pointer
}

//go:noinline
func newRefsGeneric[K comparable, V any](k K, v V, next unsafe.Pointer) unsafe.Pointer {
	return unsafe.Pointer(&refsGenericEntry[K, V]{k, v, next})
}

// TestRefsInferredGeneric has entries that generic code allocates, with the
// shapes of their types. That of the values shows no more than that they are
// pointers, but they have samples themselves.
func TestRefsInferredGeneric(t *testing.T) {
	defer func(rate int) { runtime.MemProfileRate = rate }(runtime.MemProfileRate)
	runtime.MemProfileRate = 256
	p := &refsPointers.buckets[0]
	defer func() { *p = nil }()
	for i := range refsInferredObjects {
		*p = newRefsGeneric(fmt.Sprint("the key of entry ", i), &refsSession{buf: make([]byte, 100)}, *p)
	}
	runtime.GC()
	got, want := make(map[string]int64), map[string]int64{
		"Pointers.buckets *refsGenericEntry[go.shape.string,go.shape.*uint8] (inferred)": refsInferredObjects,
		"GenericEntry[go.shape.string,go.shape.*uint8].value *refsSession (inferred)":    refsInferredObjects,
	}
	for _, s := range takeProfile(t, "refs").Sample {
		_, name, _ := strings.Cut(s.Location[0].Line[0].Function.Name, "/pprof.refs")
		if strings.HasSuffix(name, "(inferred)") && s.Label["inferred"] != nil {
			got[name] += s.Value[0]
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("inferred: %v, want %v", got, want)
	}
}

// refsPointed returns the number of objects below refsPointers, by their types.
// It checks that samples at and below elements whose type is inferred say so.
func refsPointed(t *testing.T) (objects map[string]int64) {
	objects = make(map[string]int64)
	for _, s := range takeProfile(t, "refs").Sample {
		path := ""
		for _, l := range s.Location {
			path = " > " + l.Line[0].Function.Name + path
		}
		if !strings.Contains(path, "pprof.refsPointers") {
			continue
		}
		typ := strings.Join(s.Label["type"], ",")
		objects[typ] += s.Value[0]
		if has := strings.Contains(path, "(inferred)"); has != (s.Label["inferred"] != nil) {
			t.Errorf("labels %v at %s", s.Label, path)
		}
	}
	return objects
}

// pointersTo returns n pointers to objects of type T.
func pointersTo[T any](n int) (list []unsafe.Pointer) {
	for range n {
		list = append(list, unsafe.Pointer(new(T)))
	}
	return list
}

// buildRefsMap makes a map that keeps its entries as unsafe.Pointers.
func buildRefsMap() {
	for i := range refsInferredObjects {
		b := &refsPointers.buckets[i%len(refsPointers.buckets)]
		*b = unsafe.Pointer(&refsEntry{fmt.Sprintf("the key of entry %d", i), &refsSession{fmt.Sprintf("the user of session %d", i), make([]byte, 100)}, *b})
	}
}

var refsInferredSink *refsFirst

// withoutSamples calls f with nothing sampled. A request for a sample that was
// made before ends first.
func withoutSamples(f func()) {
	defer func(rate int) { runtime.MemProfileRate = rate }(runtime.MemProfileRate)
	runtime.MemProfileRate = 0
	for range 1000 {
		refsInferredSink = new(refsFirst)
	}
	f()
}

// TestRefsInferredAgain infers the same with different numbers of processors.
func TestRefsInferredAgain(t *testing.T) {
	defer func(rate int) { runtime.MemProfileRate = rate }(runtime.MemProfileRate)
	runtime.MemProfileRate = 256
	p := &refsPointers
	buildRefsMap()
	p.list = append(pointersTo[refsFirst](refsInferredObjects), pointersTo[refsSame](refsInferredObjects)...)
	for range refsInferredObjects {
		p.other = append(p.other, unsafe.Pointer(&refsOther{child: new(refsThree), next: unsafe.Pointer(&refsThree{})}))
	}
	runtime.MemProfileRate = 0
	defer func() { clear(p.buckets[:]); p.list, p.other = nil, nil }()
	runtime.GC()
	want := refsPointed(t)
	for i := range 50 {
		procs := 2 << (i % 3 * 2)
		func() {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			if got := refsPointed(t); !maps.Equal(got, want) {
				t.Errorf("recording %d: objects by type: %v, want %v", i, got, want)
			}
		}()
	}
}
