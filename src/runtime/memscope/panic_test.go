// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package memscope_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"runtime/memscope"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"
)

// grow has ways to allocate without end.
var grow = []struct {
	name string
	f    func(next func() bool)
}{
	{"make", func(next func() bool) {
		for next() {
			allocate(1000)
		}
	}},
	{"append", func(next func() bool) {
		var b []int
		for next() {
			b = append(b, 1)
		}
	}},
	{"map assign", func(next func() bool) {
		for next() {
			m := map[int]string{}
			for i := range 1000 {
				m[i] = "x"
			}
		}
	}},
	{"big map", func(next func() bool) {
		m := map[int]int{}
		for i := 0; next(); i++ {
			m[i] = i
		}
	}},
	{"channel", func(next func() bool) {
		c := make(chan any)
		go func() {
			for range c {
			}
		}()
		defer close(c)
		for i := 0; next(); i++ {
			c <- [4]int{i}
		}
	}},
	{"deferred call", func(next func() bool) {
		for next() {
			func() { defer func() { keep(make([]int, 100)) }() }()
		}
	}},
	{"string", func(next func() bool) {
		s := ""
		for next() {
			s += "x"
		}
		keep(s)
	}},
	{"interface", func(next func() bool) {
		for i := 0; next(); i++ {
			keep(eight{a: i})
		}
	}},
	{"standard library", func(next func() bool) {
		for next() {
			keep(strings.Repeat("x", 100) + fmt.Sprint(1, "a", 2.5))
		}
	}},
	{"sync.Map", func(next func() bool) {
		var m sync.Map
		for i := 0; next(); i++ {
			m.Store(i, i)
		}
	}},
}

// keep makes v escape.
func keep(v any) {
	keepLock.Lock()
	sink = v
	keepLock.Unlock()
}

var keepLock sync.Mutex

func forever() bool { return true }

// needSysmon skips the test on wasm. There nothing preempts a goroutine, and the
// runtime asks one that is over its limit only after allocations. A loop in
// which each of these is followed by a call that must not be lost goes on.
func needSysmon(t *testing.T) {
	if runtime.GOARCH == "wasm" {
		t.Skip("no sysmon")
	}
}

func TestPanic(t *testing.T) {
	for _, g := range grow {
		t.Run(g.name, func(t *testing.T) {
			if g.name == "deferred call" {
				needSysmon(t)
			}
			const max = 4 << 20
			err := memscope.Run(background, memscope.Limits{Bytes: max, Panic: true}, func(context.Context) error {
				g.f(forever)
				return nil
			})
			if limit := limitOf(t, err); limit.Usage.Bytes <= max {
				t.Errorf("crossed at %d", limit.Usage.Bytes)
			}
			runtime.GC()
		})
	}
}

// noCalls allocates in a loop that calls nothing but the runtime.
//
//go:noinline
func noCalls() {
	for {
		wordsSink = make([]*int, 200)
	}
}

func TestPanicWithoutCalls(t *testing.T) {
	var s *memscope.Scope
	err := memscope.Run(background, memscope.Limits{Bytes: 1 << 20, Panic: true}, func(ctx context.Context) error {
		s = memscope.FromContext(ctx)
		noCalls()
		return nil
	})
	limit := limitOf(t, err)
	if over := s.Usage().Bytes - limit.Usage.Bytes; over > 4<<10 {
		t.Errorf("the goroutine has allocated %d bytes after the limit", over)
	}
}

func TestPanicIsRecovered(t *testing.T) {
	m := map[int]int{}
	last := 0
	err := memscope.Run(background, memscope.Limits{Bytes: 1 << 20, Panic: true}, func(ctx context.Context) error {
		v := panicOf(func() {
			for i := 0; ; i++ {
				m[i] = i
				last = i
			}
		})
		if limit, ok := v.(*memscope.LimitError); !ok || limit.Limit != "bytes" {
			t.Errorf("recovered %v", v)
		}
		// The goroutine continues without another panic.
		for i := last; i < 2*last; i++ {
			m[i] = i
		}
		return nil
	})
	limitOf(t, err)
	for i := range last {
		if m[i] != i {
			t.Fatalf("m[%d] is %d", i, m[i])
		}
	}
}

func TestPanicOfChildren(t *testing.T) {
	needSysmon(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	var panics sync.Map
	err := memscope.Run(background, memscope.Limits{Bytes: 8 << 20, Panic: true}, func(context.Context) error {
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() {
				panics.Store(i, panicOf(func() { grow[i%len(grow)].f(forever) }))
			})
		}
		wg.Wait()
		return nil
	})
	limitOf(t, err)
	for i := range 20 {
		if v, _ := panics.Load(i); v == nil {
			t.Errorf("goroutine %d has panicked with %v", i, v)
		} else if _, ok := v.(*memscope.LimitError); !ok {
			t.Errorf("goroutine %d has panicked with %v", i, v)
		}
	}
}

func TestPanicOfInnermost(t *testing.T) {
	outer := memscope.Run(background, memscope.Limits{Bytes: 8 << 20, Panic: true}, func(ctx context.Context) error {
		inner := memscope.Run(ctx, memscope.Limits{Bytes: 1 << 20, Panic: true}, func(context.Context) error {
			grow[0].f(forever)
			return nil
		})
		if limit := limitOf(t, inner); limit.Max != 1<<20 {
			t.Errorf("inner limit is %d", limit.Max)
		}
		grow[0].f(forever)
		return nil
	})
	if limit := limitOf(t, outer); limit.Max != 8<<20 || limit.Usage.Bytes>>20 != 8 {
		t.Errorf("outer limit is %d, crossed at %d", limit.Max, limit.Usage.Bytes)
	}
}

// tidied counts the calls of tidy, tidyValue and the method tidy.
var tidied int

//go:noinline
func tidy() { tidied++ }

//go:noinline
func tidyValue(*node) { tidied++ }

// deferring has functions that allocate, and whose deferred calls add four to
// tidied.
var deferring = []struct {
	name string
	f    func()
}{
	{"open-coded", func() {
		defer tidy()
		defer func() { tidy(); tidy() }()
		defer tidy()
		allocate(1000)
	}},
	{"in a loop", func() {
		for range 4 {
			defer tidy()
		}
		allocate(1000)
	}},
	{"with values", func() {
		defer tidyValue(new(node))
		defer tidyValue(ptrNode)
		defer tidyValue(&node{})
		defer tidyValue(nil)
		bytesSink = make([]byte, 1000)
	}},
	{"allocating", func() {
		defer func() { bytesSink = make([]byte, 500); tidy(); bytesSink = make([]byte, 500); tidy() }()
		defer func() { bytesSink = make([]byte, 500); tidy() }()
		defer tidy()
		bytesSink = make([]byte, 1000)
	}},
	{"literals with parameters and results", func() {
		// Functions with defer statements are not inlined into wrappers.
		defer func(n int) { defer tidy(); bytesSink = make([]byte, n); bytesSink = make([]byte, n); tidy() }(500 + len(bytesSink)%10)
		defer func() (n int) { defer func() {}(); bytesSink = make([]byte, 500); tidy(); return len(bytesSink) }()
		defer tidy()
		bytesSink = make([]byte, 1000)
	}},
	{"methods", func() {
		var t tidier = new(node)
		defer t.tidy()
		defer t.tidy()
		defer new(node).tidy()
		defer new(node).tidy()
		bytesSink = make([]byte, 1000)
	}},
}

var ptrNode *node

type tidier interface{ tidy() }

//go:noinline
func (*node) tidy() { tidied++ }

func TestPanicSkipsNoDeferred(t *testing.T) {
	needSysmon(t)
	for _, d := range deferring {
		t.Run(d.name, func(t *testing.T) {
			for limit := int64(1); limit < 64<<10; limit += 4093 {
				tidied = 0
				entered := 0
				err := memscope.Run(background, memscope.Limits{Bytes: limit, Panic: true}, func(context.Context) error {
					for {
						entered++
						d.f()
					}
				})
				limitOf(t, err)
				// In the last call, the panic may have come
				// before the defer statements.
				if tidied != 4*entered && tidied != 4*(entered-1) {
					t.Fatalf("with limit %d, %d of %d calls of tidy were made", limit, tidied, 4*entered)
				}
			}
		})
	}
}

// TestPanicSkipsNoCancel checks that a deferred function of the standard
// library is called, too, if the code of the deferring function itself calls it
// at the end, without the runtime.
func TestPanicSkipsNoCancel(t *testing.T) {
	needSysmon(t)
	for limit := int64(1); limit < 64<<10; limit += 997 {
		var made, live int
		err := memscope.Run(background, memscope.Limits{Bytes: limit, Panic: true}, func(context.Context) error {
			for {
				made++
				cancelled()
				if cancellable.Err() == nil {
					live++
				}
			}
		})
		limitOf(t, err)
		if cancellable.Err() == nil || live > 0 {
			t.Fatalf("with limit %d, not all of %d contexts are cancelled", limit, made)
		}
	}
}

var cancellable = background

// cancelled makes a context, and cancels it when it returns.
//
//go:noinline
func cancelled() {
	ctx, cancel := context.WithCancel(background)
	cancellable = ctx
	defer cancel()
	bytesSink = make([]byte, 500)
}

// interruptible has functions that allocate without end, in code that comes
// after the only defer statement, or after the last one.
var interruptible = []struct {
	name string
	f    func()
}{
	{"function", func() {
		defer tidy()
		for {
			bytesSink = made(64)
		}
	}},
	{"function without parameters", func() {
		defer tidy()
		for {
			bytesSink = make([]byte, 64)
			noParameters()
		}
	}},
	{"standard library", func() {
		defer tidy()
		for {
			bytesSink = make([]byte, 64)
			time.Now()
		}
	}},
	{"function literal", func() {
		more := func() {
			for range 100 {
				bytesSink = made(64)
			}
		}
		defer tidy()
		for {
			more()
		}
	}},
	{"two returns", func() {
		defer tidy()
		if bytesSink == nil {
			return
		}
		for {
			bytesSink = made(64)
		}
	}},
	{"eight statements", func() {
		defer noParameters()
		defer noParameters()
		defer noParameters()
		defer noParameters()
		defer noParameters()
		defer noParameters()
		defer noParameters()
		defer tidy()
		for {
			bytesSink = made(64)
		}
	}},
}

//go:noinline
func noParameters() {}

//go:noinline
func made(n int) []byte { return make([]byte, n) }

// TestPanicAfterDefer checks that a function that defers calls is interrupted
// after its last defer statement, and that the deferred call is made.
func TestPanicAfterDefer(t *testing.T) {
	for _, test := range interruptible {
		t.Run(test.name, func(t *testing.T) {
			const max = 100 << 10
			bytesSink = []byte{}
			tidied = 0
			var s *memscope.Scope
			err := memscope.Run(background, memscope.Limits{Bytes: max, Panic: true}, func(ctx context.Context) error {
				s = memscope.FromContext(ctx)
				test.f()
				return nil
			})
			limit := limitOf(t, err)
			if over := s.Usage().Bytes - limit.Usage.Bytes; over > 4<<10 {
				t.Errorf("the goroutine has allocated %d bytes after the limit", over)
			}
			if tidied != 1 {
				t.Errorf("the deferred function was called %d times", tidied)
			}
		})
	}
}

// inLibrary has functions that allocate more than 1 MiB, in functions of the
// standard library or in functions that the library calls. The program's own
// code does not allocate, or calls the library or returns to it after each
// allocation.
var inLibrary = []struct {
	name string
	f    func()
}{
	{"inlined", func() {
		for {
			stringsSink = strings.Split(manyWords, " ")
		}
	}},
	{"method that a library calls", func() { io.ReadAll(endless{}) }},
	{"function that a library calls", func() { slices.SortFunc(make([]int, 1<<20), boxing) }},
	{"sync.Map", func() {
		var m sync.Map
		for i := 1000; ; i++ {
			m.LoadOrStore(1, i)
		}
	}},
	{"decoding", func() {
		for {
			if json.Unmarshal([]byte(manyNumbers), &sink) != nil {
				return
			}
		}
	}},
}

var (
	stringsSink []string
	manyWords   = strings.Repeat("word ", 100)
	manyNumbers = "[1" + strings.Repeat(", 2", 1000) + "]"
)

// endless is a reader without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return copy(p, manyWords), nil }

// boxing compares two numbers, and allocates.
func boxing(x, y int) int {
	bytesSink = make([]byte, 64)
	return x - y
}

func TestPanicInLibrary(t *testing.T) {
	for _, test := range inLibrary {
		t.Run(test.name, func(t *testing.T) {
			if test.name == "inlined" {
				needSysmon(t)
			}
			err := memscope.Run(background, memscope.Limits{Bytes: 1 << 20, Panic: true}, func(context.Context) error {
				v := panicOf(test.f)
				if _, ok := v.(*memscope.LimitError); !ok {
					t.Errorf("the function has panicked with %v", v)
				}
				return nil
			})
			limitOf(t, err)
		})
	}
}

// TestPanicKeepsP checks that a goroutine over its limit that cannot panic
// because it is in a function of the standard library does not give up its P at
// each allocation.
func TestPanicKeepsP(t *testing.T) {
	if runtime.GOARCH == "wasm" || runtime.GOOS == "plan9" {
		t.Skip("no asynchronous preemption")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // the goroutine would wait for collections
	text := []byte("[" + strings.Repeat("[1],", 50_000) + "[1]]")
	var others atomic.Int64 // how often another goroutine has run
	done := make(chan bool)
	go func() {
		for {
			select {
			case <-done:
				return
			default:
				others.Add(1)
				runtime.Gosched()
			}
		}
	}()
	var during int64
	err := memscope.Run(background, memscope.Limits{Bytes: 1, Panic: true}, func(context.Context) error {
		defer func() { during += others.Load() }()
		during = -others.Load()
		return json.Unmarshal(text, &sink)
	})
	close(done)
	limitOf(t, err)
	if during > 5000 {
		t.Errorf("another goroutine ran %d times while 50,000 arrays were decoded", during)
	}
}

// starting has functions that count goroutines and start them, with captured or
// converted values.
var starting = []struct {
	name string
	f    func(pending *atomic.Int64)
}{
	{"closure", func(pending *atomic.Int64) {
		b := make([]byte, 500)
		pending.Add(1)
		go func() {
			bytesSink2.Store(&b)
			pending.Add(-1)
		}()
	}},
	{"argument", func(pending *atomic.Int64) {
		n := len(made(500))
		pending.Add(1)
		go ended(pending, n)
	}},
	{"argument on the last line", func(pending *atomic.Int64) {
		b := made(500)
		pending.Add(1)
		go func(s string) {
			ended(pending, s)
		}(string(b))
	}},
}

// ended ends the wait for a goroutine.
func ended(pending *atomic.Int64, _ any) { pending.Add(-1) }

// TestPanicLosesNoGo checks that a panic takes the place neither of a go
// statement nor of an allocation that the statement needs.
func TestPanicLosesNoGo(t *testing.T) {
	needSysmon(t)
	for _, test := range starting {
		t.Run(test.name, func(t *testing.T) {
			for limit := int64(1); limit < 16<<10; limit += 97 {
				var pending atomic.Int64
				err := memscope.Run(background, memscope.Limits{Bytes: limit, Panic: true}, func(context.Context) error {
					for {
						test.f(&pending)
					}
				})
				limitOf(t, err)
				for range 10_000 { // until the goroutines have ended
					if pending.Load() == 0 {
						break
					}
					time.Sleep(time.Millisecond)
				}
				if n := pending.Load(); n != 0 {
					t.Fatalf("with limit %d, %d go statements are lost", limit, n)
				}
			}
		})
	}
}

var bytesSink2 atomic.Pointer[[]byte]

// locking has functions that lock mutexes, and then execute defer statements
// that unlock them.
var locking = []struct {
	name string
	f    func(mus []sync.Mutex)
}{
	{"in a loop", func(mus []sync.Mutex) {
		for i := range mus {
			bytesSink = make([]byte, 500)
			mus[i].Lock()
			defer mus[i].Unlock()
		}
	}},
	{"in the body of an iteration", func(mus []sync.Mutex) {
		for i := range indexes(mus) {
			bytesSink = make([]byte, 500)
			mus[i].Lock()
			defer mus[i].Unlock()
		}
	}},
	{"argument", func(mus []sync.Mutex) {
		n := len(made(500))
		mus[0].Lock()
		defer unlock(&mus[0], n)
		bytesSink = make([]byte, 500)
	}},
	{"arguments on lines of their own", func(mus []sync.Mutex) {
		n := len(made(500))
		mus[0].Lock()
		defer unlock(
			&mus[0],
			[]any{
				n,
				n + 1,
			},
		)
		bytesSink = make([]byte, 500)
	}},
}

// indexes iterates over the indexes of mus.
func indexes(mus []sync.Mutex) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := range mus {
			if !yield(i) {
				return
			}
		}
	}
}

//go:noinline
func unlock(mu *sync.Mutex, v any) {
	sink = v
	mu.Unlock()
}

// TestPanicSkipsNoUnlock checks that a panic does not take the place of an
// allocation that a defer statement needs.
func TestPanicSkipsNoUnlock(t *testing.T) {
	needSysmon(t)
	for _, test := range locking {
		t.Run(test.name, func(t *testing.T) {
			for limit := int64(1); limit < 64<<10; limit += 97 {
				mus := make([]sync.Mutex, 10)
				err := memscope.Run(background, memscope.Limits{Bytes: limit, Panic: true}, func(context.Context) error {
					for {
						test.f(mus)
					}
				})
				limitOf(t, err)
				for i := range mus {
					if !mus[i].TryLock() {
						t.Fatalf("with limit %d, mutex %d is locked", limit, i)
					}
				}
			}
		})
	}
}

// allocatingContext is a context with which context.WithCancel starts a
// goroutine. That goroutine calls Err when done is closed.
type allocatingContext struct {
	context.Context
	done chan struct{}
}

func (c *allocatingContext) Done() <-chan struct{} { return c.done }

func (c *allocatingContext) Err() error {
	for range 10 {
		bytesSink = made(500)
	}
	return context.Canceled
}

// TestPanicOfLibraryGoroutine checks that a goroutine that the standard library
// has started in a scope does not panic, unless it calls Run.
func TestPanicOfLibraryGoroutine(t *testing.T) {
	parent := &allocatingContext{background, make(chan struct{})}
	err := memscope.Run(background, memscope.Limits{Bytes: 1, Panic: true}, func(context.Context) error {
		panicOf(func() { grow[0].f(forever) })
		ctx, cancel := context.WithCancel(parent)
		defer cancel()
		close(parent.done)
		<-ctx.Done()
		return nil
	})
	limitOf(t, err)
	memscope.Run(background, memscope.Limits{Panic: true}, func(context.Context) error {
		t.Run("Run", func(t *testing.T) { // package testing starts this goroutine
			err := memscope.Run(background, memscope.Limits{Bytes: 1, Panic: true}, func(context.Context) error {
				grow[0].f(forever)
				return nil
			})
			limitOf(t, err)
		})
		return nil
	})
}

// TestPanicOfSpans checks that a goroutine stops soon after a limit, also if each
// object takes a span: mallocgc then calls functions after it has asked the
// goroutine.
func TestPanicOfSpans(t *testing.T) {
	for _, size := range []int{4 << 10, 8 << 10, 16 << 10, 20 << 10, 24 << 10, 28 << 10, 32 << 10, 64 << 10, 1 << 20} {
		for _, kind := range []struct {
			name     string
			allocate func(n int)
		}{
			{"noscan", func(n int) { bytesSink = made(n) }},
			{"scan", func(n int) { wordsSink = madeWords(n / int(unsafe.Sizeof(uintptr(0)))) }},
		} {
			t.Run(fmt.Sprint(size, kind.name), func(t *testing.T) {
				max := int64(1<<20 + size)
				var s *memscope.Scope
				err := memscope.Run(background, memscope.Limits{Bytes: max, Panic: true}, func(ctx context.Context) error {
					s = memscope.FromContext(ctx)
					for {
						kind.allocate(size)
					}
				})
				limit := limitOf(t, err)
				if over := s.Usage().Bytes - limit.Usage.Bytes; over > int64(4*size) {
					t.Errorf("the goroutine has allocated %d bytes after the limit", over)
				}
			})
		}
	}
}

//go:noinline
func madeWords(n int) []*int { return make([]*int, n) }

func TestPanicReplacesNoPanic(t *testing.T) {
	var p *node
	mine := errors.New("mine")
	for _, test := range []struct {
		name string
		f    func()
		want string
	}{
		{"nil dereference", func() { bytesSink = make([]byte, 2<<10); sink = p.Next }, "nil pointer dereference"},
		{"index", func() { bytesSink = make([]byte, 2<<10); bytesSink[len(bytesSink)] = 1 }, "index out of range"},
		{"panic", func() { bytesSink = make([]byte, 2<<10); panic(mine) }, "mine"},
		{"division", func() { bytesSink = make([]byte, 2<<10); wordsSink = wordsSink[:1/len(bytesSink[:0])] }, "divide by zero"},
	} {
		for range 100 {
			v := panicOf(func() {
				memscope.Run(background, memscope.Limits{Bytes: 1 << 10, Panic: true}, func(context.Context) error {
					test.f()
					return nil
				})
			})
			if err, ok := v.(error); !ok || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: Run panicked with %v", test.name, v)
			}
		}
	}
}

func TestOuterLimitAfterInner(t *testing.T) {
	needSysmon(t)
	var inner error
	outer := memscope.Run(background, memscope.Limits{Bytes: 4 << 20}, func(ctx context.Context) error {
		inner = memscope.Run(ctx, memscope.Limits{Bytes: 1 << 20, Panic: true}, func(context.Context) error {
			panicOf(func() { grow[0].f(forever) })
			for ctx.Err() == nil { // ctx is of the outer scope
				allocate(1000)
			}
			return nil
		})
		return nil
	})
	if a, b := limitOf(t, inner).Max, limitOf(t, outer); a != 1<<20 || b.Max != 4<<20 || b.Usage.Bytes>>20 != 4 {
		t.Errorf("limits are %d, and %d at %d", a, b.Max, b.Usage.Bytes)
	}
}

var errInInit = memscope.Run(background, memscope.Limits{Bytes: 1 << 20, Panic: true}, func(context.Context) error {
	grow[0].f(forever)
	return nil
})

func TestPanicInInit(t *testing.T) { limitOf(t, errInInit) }

func TestPanicAnywhere(t *testing.T) {
	// Wherever a goroutine panics, the program is sound afterwards.
	rnd := rand.New(rand.NewPCG(1, 2))
	n := 2000
	if testing.Short() {
		n = 200
	}
	shared := map[int][]byte{}
	var mu sync.Mutex
	for i := range n {
		g := grow[rnd.IntN(len(grow))]
		limits := memscope.Limits{Bytes: 1 + rnd.Int64N(256<<10), Panic: true, Count: rnd.IntN(4) == 0}
		err := memscope.Run(background, limits, func(context.Context) error {
			step := 0
			g.f(func() bool {
				if step++; step%64 == 0 {
					mu.Lock()
					defer mu.Unlock()
					shared[i%100] = make([]byte, 100)
				}
				return true
			})
			return nil
		})
		limitOf(t, err)
		if i%100 == 0 {
			runtime.GC()
		}
	}
	for i := range shared {
		shared[i] = append(shared[i], 1)
	}
}
