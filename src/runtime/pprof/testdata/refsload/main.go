// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Refsload makes many objects of one kind, such as stacks, closures or defers,
// and compares the cost of a refs profile with that of a garbage collection of
// the same heap. BenchmarkRefsLoad of runtime/pprof generates functions
// (generated.go), builds Refsload with them, and runs it with the name of a
// load, the two parameters of the load, and the number of rounds. Refsload
// prints four ratios of a median for profiles to a median for collections. The
// first is of the whole time of each. In the second, the time of a profile is
// that of its recording, without naming and writing. The third and fourth are
// of the longest times that another goroutine needs to stop the world and to
// allocate during each.
package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"time"
	"unsafe"
)

// An item is an object that the loads refer to.
type item struct {
	next *item
	n    int
}

// loads make memory that is in use until the program ends.
var loads = map[string]func(n, size int){
	"locals": func(n, size int) { start(n, func() { locals[size]() }) },
	"shared": func(n, size int) { start(n, func() { shared[size]() }) },
	"places": func(n, size int) {
		for i := range n {
			start(1, func() { places[size](i % 200) })
		}
	},
	"generic":    func(n, _ int) { start(n, func() { generic(new(item), wait) }) },
	"inlined":    func(n, _ int) { start(n, inlined) },
	"closures":   closures,
	"captured":   func(n, size int) { repeat(n, captured[size]) },
	"functions":  func(n, size int) { repeat(n, functions[size]) },
	"defers":     func(n, _ int) { start(1, func() { defers(n) }) },
	"deep":       func(n, _ int) { start(1, func() { deep(n, nil) }) },
	"random":     func(n, _ int) { start(1, func() { randomly(n, 1, nil) }) },
	"objects":    func(n, _ int) { start(n, objects) },
	"untyped":    untyped,
	"cleared":    cleared,
	"finalizers": finalizers,
	"cleanups":   cleanups,
}

// made has the closures of the loads closures, captured and functions.
var made []func()

// erased has pointers to items, without their type.
var erased []unsafe.Pointer

func untyped(n, _ int) {
	erased = make([]unsafe.Pointer, n)
	for i := range erased {
		erased[i] = unsafe.Pointer(&item{n: i})
	}
}

// change is called before each collection or profile begins, and the function
// that it returns after it has ended.
var change = func() (end func()) { return func() {} }

// cleared lets a goroutine clear n pointers that nothing else has, while a list
// of as many items keeps the first stages of a recording busy. Older goroutines
// are followed before that goroutine is.
func cleared(n, _ int) {
	start(20, wait)
	for range n {
		list = &item{next: list}
	}
	change = func() func() {
		done := make(chan bool)
		go func() {
			pointers := make([]*item, n)
			for i := range pointers {
				pointers[i] = new(item)
			}
			done <- true
			time.Sleep(20 * time.Millisecond)
			for part := range slices.Chunk(pointers, 1000) {
				clear(part)
			}
			done <- true
			runtime.KeepAlive(pointers)
		}()
		<-done
		return func() { <-done }
	}
}

var list *item

// finalizers and cleanups make n live items that have one each.
func finalizers(n, _ int) {
	for range n {
		list = &item{next: list}
		runtime.SetFinalizer(list, func(*item) {})
	}
}

func cleanups(n, _ int) {
	for i := range n {
		list = &item{next: list}
		runtime.AddCleanup(list, func(int) {}, i)
	}
}

var (
	ready = make(chan bool)
	never = make(chan bool)
)

// wait says that the goroutine is ready, and blocks it for ever.
func wait() {
	ready <- true
	<-never
}

// start starts n goroutines, one after another, each of which ends up in wait.
func start(n int, f func()) {
	for range n {
		go f()
		<-ready
	}
}

//go:noinline
func keep(...any) {}

// use uses pointers, and makes the items to which they point escape to the
// heap.
//
//go:noinline
func use(all ...*item) {
	for _, t := range all {
		if t == nil {
			sink = t
		}
	}
}

var sink *item

// closures makes closures of three functions.
func closures(n, _ int) {
	made = make([]func(), 0, n)
	for i := range n {
		t, s := &item{n: i}, make([]*item, 1)
		switch i % 3 {
		case 0:
			made = append(made, func() { t.n++ })
		case 1:
			made = append(made, func() { s[0] = nil; t.n++ })
		case 2:
			var e error = &problem{t}
			made = append(made, func() { keep(e.Error()) })
		}
	}
}

type problem struct{ t *item }

func (p *problem) Error() string { return "" }

func repeat(n int, f func()) {
	for range n {
		f()
	}
}

// defers defers n calls, and waits.
func defers(n int) {
	for range n {
		t := new(item)
		defer func() { t.n++ }()
	}
	wait()
}

//go:noinline
func fill(o *object) { use(o.heap) }

// object is the type of a stack object, that is, of a variable that the
// collector scans separately from its frame.
type object struct {
	other *object
	heap  *item
	_     [6]uintptr
}

// deep calls itself n times. Each frame has a stack object, which refers to the
// stack object of the caller.
func deep(n int, caller *object) {
	o := object{other: caller, heap: new(item)}
	if n > 0 {
		deep(n-1, &o)
	} else {
		wait()
	}
	use(o.heap)
}

// node is a stack object of a search tree.
type node struct {
	key         uint32
	left, right *node
	heap        *item
}

// randomly calls itself n times. Each frame has a stack object, which it adds
// to a search tree by a random key, so that the collector visits the frames in
// random order.
func randomly(n int, key uint32, root *node) {
	o := node{key: key, heap: new(item)}
	if root == nil {
		root = hide(&o)
	} else {
		root.add(hide(&o))
	}
	if n > 0 {
		randomly(n-1, key*1664525+1013904223, root)
	} else {
		wait()
	}
	use(root.heap)
}

func (t *node) add(o *node) {
	for {
		side := &t.left
		if o.key > t.key {
			side = &t.right
		}
		if *side == nil {
			*side = o
			return
		}
		t = *side
	}
}

// hide returns p. The compiler does not see that it does, and therefore leaves
// the node on the stack.
//
//go:nosplit
func hide(p *node) *node {
	x := uintptr(unsafe.Pointer(p))
	return (*node)(unsafe.Pointer(x ^ 0))
}

// objects has a chain of five stack objects, and an array of twenty more.
func objects() {
	var a [20]object
	for i := range a {
		a[i].heap = new(item)
	}
	o0, o1, o2, o3, o4 := a[0], a[1], a[2], a[3], a[4]
	o0.other, o1.other, o2.other, o3.other, o4.other = &o1, &o2, &o3, &o4, &a[10]
	waitFor(&o0)
	use(a[3].heap)
}

//go:noinline
func waitFor(o *object) {
	wait()
	use(o.heap)
}

func generic[T any](t T, done func()) {
	a, b, c := []T{t}, map[int]T{1: t}, struct{ t, u *T }{&t, new(T)}
	var d any = t
	done()
	keep(len(a), len(b), c.t, c.u, d)
}

func inlined() {
	a, b := inner(1), inner(2)
	wait()
	use(a)
	use(b)
}

func inner(n int) *item {
	t := &item{n: n}
	u := &item{next: t, n: t.n}
	return u
}

func main() {
	n, _ := strconv.Atoi(os.Args[2])
	size, _ := strconv.Atoi(os.Args[3])
	rounds, _ := strconv.Atoi(os.Args[4])
	debug.SetGCPercent(-1)
	debug.SetMaxStack(1 << 30)
	loads[os.Args[1]](n, size)
	refs := pprof.Lookup("refs")
	record := func() {
		if err := refs.WriteTo(io.Discard, 0); err != nil {
			panic(err)
		}
	}
	runtime.GC()
	record()
	gc, rec := medians(rounds, runtime.GC, record)
	gcAgain, recAlone := medians(rounds, runtime.GC, func() time.Duration { return recorded(refs) })
	gcStop, recStop := medians(rounds, longestDuring(runtime.GC, stop), longestDuring(record, stop))
	gcAlloc, recAlloc := medians(rounds, longestDuring(runtime.GC, allocate), longestDuring(record, allocate))
	if os.Getenv("REFSLOAD_VERBOSE") != "" {
		fmt.Fprintln(os.Stderr, gc, rec, gcAgain, recAlone, gcStop, recStop, gcAlloc, recAlloc)
	}
	fmt.Println(rec.Seconds()/gc.Seconds(), recAlone.Seconds()/gcAgain.Seconds(), recStop.Seconds()/gcStop.Seconds(), recAlloc.Seconds()/gcAlloc.Seconds())
}

// recorded takes a profile, and returns how long its recording took according
// to its comments.
func recorded(refs *pprof.Profile) time.Duration {
	var text strings.Builder
	if err := refs.WriteTo(&text, 1); err != nil {
		panic(err)
	}
	_, after, _ := strings.Cut(text.String(), ": recorded in ")
	duration, _, _ := strings.Cut(after, ",")
	d, err := time.ParseDuration(duration)
	if err != nil {
		panic(err)
	}
	return d
}

// medians calls two functions alternately, and returns the median of the
// results of each.
func medians(rounds int, f, g any) (time.Duration, time.Duration) {
	var fs, gs []time.Duration
	for range rounds {
		fs = append(fs, measure(f))
		gs = append(gs, measure(g))
	}
	slices.Sort(fs)
	slices.Sort(gs)
	return fs[rounds/2], gs[rounds/2]
}

func measure(f any) time.Duration {
	defer change()()
	if f, ok := f.(func() time.Duration); ok {
		return f()
	}
	begin := time.Now()
	f.(func())()
	return time.Since(begin)
}

// longestDuring returns a function that calls f and returns the longest time
// that another goroutine took for a call of g meanwhile.
func longestDuring(f, g func()) func() time.Duration {
	return func() (longest time.Duration) {
		end, ended := make(chan bool), make(chan bool)
		go func() {
			for {
				select {
				case <-end:
					ended <- true
					return
				case <-time.After(time.Millisecond / 4):
				}
				begin := time.Now()
				g()
				longest = max(longest, time.Since(begin))
			}
		}()
		f()
		end <- true
		<-ended
		return longest
	}
}

var stats runtime.MemStats

// stop stops the world.
func stop() { runtime.ReadMemStats(&stats) }

var bytes []byte

// allocate allocates as much as a small request.
func allocate() {
	for range 100 {
		bytes = make([]byte, 64)
	}
}
