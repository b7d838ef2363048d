// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package memscope_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"reflect"
	"runtime"
	"runtime/debug"
	"runtime/memscope"
	"runtime/metrics"
	"runtime/pprof"
	"runtime/trace"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"
)

var background = context.Background()

// Sinks make objects escape to the heap.
var (
	sink      any
	bytesSink []byte
	wordsSink []*int
	strSink   string
	mapSink   map[int]int
	chanSink  chan int
	funcSink  func() int
	ptrSink   *int
)

// allocate allocates n bytes.
//
//go:noinline
func allocate(n int) []byte { return make([]byte, n) }

var (
	memStats runtime.MemStats
	tiny     = []metrics.Sample{{Name: "/gc/heap/tiny/allocs:objects"}}
)

// allocated returns the exact counts of the process's allocations. It does not
// allocate.
func allocated() memscope.Usage {
	runtime.ReadMemStats(&memStats)
	metrics.Read(tiny)
	return memscope.Usage{
		Bytes:   int64(memStats.TotalAlloc),
		Objects: int64(memStats.Mallocs - tiny[0].Value.Uint64()),
		Calls:   int64(memStats.Mallocs),
	}
}

func minus(a, b memscope.Usage) memscope.Usage {
	return memscope.Usage{Bytes: a.Bytes - b.Bytes, Objects: a.Objects - b.Objects, Calls: a.Calls - b.Calls}
}

// noGC switches the garbage collector off, because it allocates for itself.
func noGC(t testing.TB) {
	runtime.GC()
	percent := debug.SetGCPercent(-1)
	t.Cleanup(func() { debug.SetGCPercent(percent) })
}

// checkExact checks that a scope counts for f exactly what the process counts.
// It first runs f three times outside of the scope, so that the runtime need
// not allocate for itself.
func checkExact(t *testing.T, f func()) {
	t.Helper()
	for range 3 {
		f()
	}
	allocated()
	var got, want memscope.Usage
	for range 5 {
		memscope.Run(background, memscope.Limits{Count: true}, func(ctx context.Context) error {
			s := memscope.FromContext(ctx)
			before, processBefore := s.Usage(), allocated()
			f()
			processAfter, after := allocated(), s.Usage()
			got, want = minus(after, before), minus(processAfter, processBefore)
			return nil
		})
		if got == want {
			t.Logf("%d bytes, %d objects, %d calls", got.Bytes, got.Objects, got.Calls)
			return
		}
		// Other goroutines, of the test or of the runtime, may have
		// allocated.
	}
	t.Errorf("scope has counted %+v, process %+v", got, want)
}

type node struct {
	Next *node
	Data [5]int
}

type eight struct{ a, b, c, d, e, f, g, h int }

//go:noinline
func (e eight) Error() string { return "eight" }

//go:noinline
func deferInLoop(n int) (sum int) {
	for i := range n {
		defer func() { sum += i }()
	}
	return 0
}

//go:noinline
func closure(i int) func() int { return func() int { i++; return i } }

var paths = []struct {
	name string
	f    func()
}{
	{"nothing", func() {}},
	{"new", func() { sink = new(node) }},
	{"new noscan", func() { sink = new([7]int) }},
	{"new tiny", func() { ptrSink = new(int) }},
	{"zero size", func() { sink = new(struct{}); bytesSink = make([]byte, 0) }},
	{"tiny blocks", func() {
		for range 1000 {
			sink = new(uint16)
			sink = new(byte)
		}
	}},
	{"make", func() { wordsSink = make([]*int, 100) }},
	{"make noscan", func() { bytesSink = make([]byte, 1000) }},
	{"make large", func() { wordsSink = make([]*int, 1<<20) }},
	{"make large noscan", func() { bytesSink = make([]byte, 1<<20+1) }},
	{"append", func() {
		bytesSink, wordsSink = nil, nil
		for range 10000 {
			bytesSink = append(bytesSink, 1)
			wordsSink = append(wordsSink, nil)
		}
	}},
	{"map", func() {
		mapSink = map[int]int{}
		for i := range 10000 {
			mapSink[i] = i
		}
	}},
	{"map of strings", func() {
		m := map[string]any{}
		for i := range 1000 {
			m[fmt.Sprint(i)] = i
		}
		sink = m
	}},
	{"clear and grow", func() {
		clear(mapSink)
		for i := range 20000 {
			mapSink[-i] = i
		}
	}},
	{"strings", func() {
		strSink = ""
		for i := range 100 {
			strSink += string(rune('a' + i%26))
		}
		bytesSink = []byte(strSink)
		strSink = string(bytesSink)
		sink = []rune(strSink)
		strSink = string(sink.([]rune))
	}},
	{"builder", func() {
		var b strings.Builder
		for range 1000 {
			b.WriteString("hello, world")
		}
		strSink = b.String()
	}},
	{"closure", func() { funcSink = closure(1) }},
	{"interface", func() { sink = eight{a: 1} }},
	{"interface of int", func() {
		for i := range 1000 {
			sink = i
		}
	}},
	{"error", func() { var err error = eight{}; sink = err; sink = fmt.Errorf("%w", err) }},
	{"channel", func() { chanSink = make(chan int, 100); sink = make(chan *int, 7); sink = make(chan struct{}) }},
	{"defer", func() { deferInLoop(100) }},
	{"panic and recover", func() {
		defer func() { recover() }()
		var p *node
		sink = p.Next
	}},
	{"goroutine", func() {
		for i := range 100 {
			done := make(chan bool)
			go func() { sink = [3]int{i}; done <- true }()
			<-done
		}
	}},
	{"reflect", func() {
		v := reflect.New(reflect.TypeFor[node]())
		v.Elem().Field(1).Index(0).SetInt(1)
		s := reflect.MakeSlice(reflect.TypeFor[[]string](), 10, 10)
		s = reflect.Append(s, reflect.ValueOf("x"))
		m := reflect.MakeMap(reflect.TypeFor[map[string]int]())
		m.SetMapIndex(reflect.ValueOf("a"), reflect.ValueOf(1))
		sink = reflect.ValueOf(strings.ToUpper).Call([]reflect.Value{reflect.ValueOf("abc")})
	}},
	{"linkname", func() { sink = unsafe_NewArray(elemType(node{}), 10); sink = unsafe_New(elemType(eight{})) }},
	{"select", func() {
		a, b := make(chan int, 1), make(chan string, 1)
		for range 10 {
			select {
			case a <- 1:
			case b <- "x":
			}
			select {
			case <-a:
			case <-b:
			}
		}
	}},
	{"timer", func() { time.NewTimer(time.Hour).Stop() }},
	{"sync.Pool", func() {
		p := sync.Pool{New: func() any { return new(eight) }}
		p.Put(p.Get())
		sink = p.Get()
	}},
	{"finalizer and cleanup", func() {
		p := new(node)
		runtime.SetFinalizer(p, func(*node) {})
		runtime.AddCleanup(new(node), func(int) {}, 0)
	}},
	{"iter.Pull", func() {
		next, stop := iter.Pull(func(yield func(int) bool) {
			for i := range 100 {
				sink = [2]int{i}
				if !yield(i) {
					return
				}
			}
		})
		for range 50 {
			next()
		}
		stop()
	}},
	{"pprof labels", func() {
		pprof.Do(background, pprof.Labels("a", "b"), func(context.Context) { sink = new(node) })
	}},
}

//go:linkname unsafe_New reflect.unsafe_New
func unsafe_New(unsafe.Pointer) unsafe.Pointer

//go:linkname unsafe_NewArray reflect.unsafe_NewArray
func unsafe_NewArray(unsafe.Pointer, int) unsafe.Pointer

// elemType returns the type of v in the form that reflect.unsafe_New takes.
func elemType(v any) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&v)) }

func TestUsageOfPaths(t *testing.T) {
	noGC(t)
	for _, path := range paths {
		t.Run(path.name, func(t *testing.T) { checkExact(t, path.f) })
	}
}

func TestUsageAtRates(t *testing.T) {
	noGC(t)
	defer func(rate int) { runtime.MemProfileRate = rate }(runtime.MemProfileRate)
	for _, rate := range []int{0, 1, 100, 512 << 10, 1 << 30} {
		t.Run(fmt.Sprint(rate), func(t *testing.T) {
			runtime.MemProfileRate = rate
			for _, path := range paths {
				checkExact(t, path.f)
			}
		})
	}
	t.Run("changing", func(t *testing.T) {
		checkExact(t, func() {
			for i := range 1000 {
				runtime.MemProfileRate = []int{0, 1, 4096, 1 << 20}[i%4]
				bytesSink = make([]byte, i)
				sink = new(byte)
			}
		})
	})
}

func TestUsageOfSizes(t *testing.T) {
	noGC(t)
	sizes := []int{}
	for size := 1; size <= 40<<10; size += 1 + size/64 {
		sizes = append(sizes, size)
	}
	sizes = append(sizes, 1<<16, 1<<20-1, 1<<20, 1<<20+1, 5<<20)
	for _, size := range sizes {
		checkExact(t, func() { bytesSink = make([]byte, size) })
		checkExact(t, func() { wordsSink = make([]*int, (size+7)/8) })
	}
}

func TestUsageWithoutCount(t *testing.T) {
	memscope.Run(background, memscope.Limits{}, func(ctx context.Context) error {
		bytesSink = make([]byte, 1024)
		want := memscope.Usage{Bytes: 1024}
		if got := memscope.FromContext(ctx).Usage(); got.Bytes != want.Bytes || got.Objects != 0 || got.Calls != 0 {
			t.Errorf("usage is %+v, want %+v", got, want)
		}
		return nil
	})
}

func TestNested(t *testing.T) {
	var scopes []*memscope.Scope
	var nest func(ctx context.Context) error
	nest = func(ctx context.Context) error {
		scopes = append(scopes, memscope.FromContext(ctx))
		if len(scopes) < 5 {
			// The third of the five scopes counts objects, which
			// slows the scopes inside it. Only the third scope
			// shows objects.
			memscope.Run(ctx, memscope.Limits{Count: len(scopes) == 2}, nest)
		}
		bytesSink = make([]byte, 1<<20)
		return nil
	}
	memscope.Run(background, memscope.Limits{}, nest)
	for i, s := range scopes {
		u := s.Usage()
		if got, want := u.Bytes>>20, int64(5-i); got != want {
			t.Errorf("scope %d has counted %d MiB, want %d", i, got, want)
		}
		if counts := i == 2; (u.Objects >= 3) != counts || (u.Calls >= 3) != counts {
			t.Errorf("scope %d has counted %d objects, %d calls", i, u.Objects, u.Calls)
		}
	}
}

func TestManyGoroutines(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	const goroutines, each, size = 10000, 10, 1000
	memscope.Run(background, memscope.Limits{Count: true}, func(ctx context.Context) error {
		var wg sync.WaitGroup
		keep := make([][each][]byte, goroutines)
		before := memscope.FromContext(ctx).Usage()
		for i := range goroutines {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for k := range each {
					keep[i][k] = make([]byte, size)
					if k == each/2 {
						runtime.Gosched()
					}
				}
			}()
		}
		wg.Wait()
		// The closure captures wg, keep, and i.
		got := minus(memscope.FromContext(ctx).Usage(), before)
		want := memscope.Usage{Bytes: goroutines * (each*1024 + closureSize), Objects: goroutines * (each + 1), Calls: goroutines * (each + 1)}
		if got != want {
			t.Errorf("usage is %+v, want %+v", got, want)
		}
		return nil
	})
}

// closureSize is the size class of a closure of a function, a pointer, a slice
// and an int.
const closureSize = int64(6 * unsafe.Sizeof(uintptr(0)))

func TestUsageIsExactAcrossGoroutines(t *testing.T) {
	// Usage shows everything that happened before, whatever the other
	// goroutine does next.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	memscope.Run(background, memscope.Limits{}, func(ctx context.Context) error {
		s := memscope.FromContext(ctx)
		n, done := make(chan int64), make(chan bool)
		for i := range 3 {
			go func() {
				for k := range 2000 {
					allocate(1024)
					if i == 0 {
						n <- int64(k + 1)
					}
				}
				done <- true
			}()
		}
		var last, finished int64
		for finished < 3 {
			select {
			case k := <-n:
				u := s.Usage().Bytes
				if u < k*1024 || u < last {
					t.Errorf("usage is %d, after %d and before that %d", u, k*1024, last)
				}
				last = u
			case <-done:
				finished++
			}
		}
		if u := s.Usage().Bytes; u < 6000*1024 || u > 6000*1024+100<<10 {
			t.Errorf("usage is %d at the end, want little more than %d", u, 6000*1024)
		}
		return nil
	})
}

// inScope returns the number of bytes that a scope counts while f runs.
func inScope(f func(ctx context.Context)) (n int64) {
	memscope.Run(background, memscope.Limits{}, func(ctx context.Context) error {
		f(ctx)
		n = memscope.FromContext(ctx).Usage().Bytes
		return nil
	})
	return n
}

func TestInherited(t *testing.T) {
	const size = 1 << 20
	allocate := func() { bytesSink = make([]byte, size) }
	later := func(f func(done func())) {
		done := make(chan bool)
		f(func() { close(done) })
		<-done
	}
	for _, test := range []struct {
		name string
		f    func(ctx context.Context)
		want int64
	}{
		{"go", func(context.Context) { later(func(done func()) { go func() { allocate(); done() }() }) }, 1},
		{"go go", func(context.Context) {
			later(func(done func()) { go func() { allocate(); go func() { allocate(); done() }() }() })
		}, 2},
		{"time.AfterFunc", func(context.Context) {
			later(func(done func()) { time.AfterFunc(1, func() { allocate(); done() }) })
		}, 1},
		{"context.AfterFunc", func(ctx context.Context) {
			later(func(done func()) {
				ctx, cancel := context.WithCancel(ctx)
				context.AfterFunc(ctx, func() { allocate(); done() })
				memscope.Detach(ctx, func(context.Context) { cancel() })
			})
		}, 1},
		{"context.AfterFunc of outside", func(ctx context.Context) {
			later(func(done func()) {
				ctx, cancel := context.WithCancel(ctx)
				memscope.Detach(ctx, func(context.Context) { context.AfterFunc(ctx, func() { allocate(); done() }) })
				cancel()
			})
		}, 0},
		{"Timer.Reset", func(context.Context) {
			later(func(done func()) {
				timer := time.AfterFunc(time.Hour, func() { allocate(); done() })
				timer.Reset(1)
			})
		}, 1},
		{"finalizer", func(context.Context) {
			later(func(done func()) {
				runtime.SetFinalizer(new(node), func(*node) { allocate(); done() })
				runtime.GC()
			})
		}, 0},
		{"cleanup", func(context.Context) {
			later(func(done func()) {
				runtime.AddCleanup(new(node), func(int) { allocate(); done() }, 0)
				runtime.GC()
			})
		}, 0},
		{"Detach", func(ctx context.Context) {
			memscope.Detach(ctx, func(context.Context) {
				allocate()
				later(func(done func()) { go func() { allocate(); done() }() })
			})
			allocate()
		}, 1},
		{"iter.Pull", func(context.Context) {
			next, stop := iter.Pull(func(yield func(int) bool) { allocate(); yield(1); allocate() })
			next()
			stop()
		}, 2},
		{"coroutine of outside", func(ctx context.Context) {
			var next func() (int, bool)
			memscope.Detach(ctx, func(context.Context) {
				next, _ = iter.Pull(func(yield func(int) bool) { allocate(); yield(1) })
			})
			next()
			allocate()
		}, 1},
		{"pprof.Do", func(ctx context.Context) {
			pprof.Do(ctx, pprof.Labels("k", "v"), func(context.Context) { allocate() })
		}, 1},
		{"trace region", func(ctx context.Context) {
			memscope.Detach(ctx, func(context.Context) { trace.Start(io.Discard) })
			defer trace.Stop()
			ctx, task := trace.NewTask(ctx, "task")
			defer task.End()
			trace.WithRegion(ctx, "region", func() {
				allocate()
				later(func(done func()) { go func() { allocate(); done() }() })
			})
		}, 2},
		{"locked thread", func(context.Context) {
			later(func(done func()) {
				go func() { runtime.LockOSThread(); allocate(); runtime.Gosched(); allocate(); done() }()
			})
		}, 2},
		{"GOMAXPROCS", func(context.Context) {
			allocate()
			n := runtime.GOMAXPROCS(1)
			allocate()
			runtime.GOMAXPROCS(7)
			allocate()
			runtime.GOMAXPROCS(n)
			allocate()
		}, 4},
		{"GC", func(context.Context) { allocate(); runtime.GC(); allocate(); debug.FreeOSMemory(); allocate() }, 3},
		{"sleep", func(context.Context) { allocate(); time.Sleep(1); allocate() }, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			if n := inScope(test.f); n>>20 != test.want {
				t.Errorf("scope has counted %d bytes, want %d MiB and a little", n, test.want)
			}
		})
	}
}

func TestContext(t *testing.T) {
	if memscope.FromContext(background) != nil {
		t.Error("there is a scope in the background")
	}
	var none *memscope.Scope
	if none.Usage() != (memscope.Usage{}) || none.Name() != "" {
		t.Error("no scope has usage or name")
	}
	type key struct{}
	parent, cancel := context.WithCancel(context.WithValue(background, key{}, 1))
	err := memscope.Run(parent, memscope.Limits{Name: "a"}, func(ctx context.Context) error {
		outer := memscope.FromContext(ctx)
		if outer.Name() != "a" || ctx.Value(key{}) != 1 {
			t.Error("context has not the scope or its parent's values")
		}
		memscope.Run(ctx, memscope.Limits{}, func(ctx context.Context) error {
			if s := memscope.FromContext(ctx); s == nil || s == outer {
				t.Error("context has not the inner scope")
			}
			return nil
		})
		memscope.Detach(ctx, func(ctx context.Context) {
			if memscope.FromContext(ctx) != nil || ctx.Value(key{}) != 1 {
				t.Error("detached context has a scope, or not the values")
			}
			cancel()
			if ctx.Err() != nil {
				t.Error("detached context is cancelled")
			}
		})
		return ctx.Err()
	})
	if err != context.Canceled {
		t.Errorf("Run returned %v", err)
	}
	var ctx context.Context
	memscope.Run(background, memscope.Limits{}, func(c context.Context) error { ctx = c; return nil })
	if context.Cause(ctx) != context.Canceled {
		t.Errorf("after Run, the cause is %v", context.Cause(ctx))
	}
}

func TestRunReturns(t *testing.T) {
	failed := errors.New("failed")
	if err := memscope.Run(background, memscope.Limits{}, func(context.Context) error { return failed }); err != failed {
		t.Errorf("Run returned %v", err)
	}
	for _, limits := range []memscope.Limits{{}, {Bytes: 1 << 10}} {
		got := panicOf(func() {
			memscope.Run(background, limits, func(context.Context) error { panic(failed) })
		})
		if got != failed {
			t.Errorf("Run panicked with %v", got)
		}
	}
	if got := panicOf(func() { memscope.Run(background, memscope.Limits{Bytes: -1}, nil) }); got == nil {
		t.Error("Run accepts a negative limit")
	}
	var n int64
	done := make(chan bool)
	go func() {
		defer close(done)
		defer func() { n = inScope(func(context.Context) {}) }()
		memscope.Run(background, memscope.Limits{}, func(context.Context) error { runtime.Goexit(); return nil })
	}()
	<-done
	if n != 0 {
		t.Errorf("after Goexit, an empty scope counts %d", n)
	}
}

// panicOf returns the value with which f panics.
func panicOf(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

func TestChurn(t *testing.T) {
	n := 1_000_000
	if testing.Short() {
		n = 50_000
	}
	parent, cancel := context.WithCancel(background)
	defer cancel()
	churn := func(n int) {
		for i := range n {
			memscope.Run(parent, memscope.Limits{Name: fmt.Sprint("kind", i%3), Bytes: 1 << 20}, func(context.Context) error {
				bytesSink = make([]byte, 512)
				done := make(chan bool)
				go func() { allocate(1000); done <- true }()
				<-done
				return nil
			})
		}
		runtime.GC()
		runtime.GC()
	}
	inUse := func() (n uint64) {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc + m.OtherSys + m.BuckHashSys
	}
	churn(10_000)
	before := inUse()
	churn(n)
	if after := inUse(); after > before+512<<10 {
		t.Errorf("%d scopes leave %d bytes behind", n, after-before)
	}
}
