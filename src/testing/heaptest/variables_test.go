// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package heaptest_test

import (
	"context"
	"fmt"
	"runtime"
	"runtime/metrics"
	"strings"
	"sync"
	"testing"
	. "testing/heaptest"
	"time"
)

// A reader refers to an object as readers refer to connections.
type reader struct{ of *object }

//go:noinline
func newReader(o *object) *reader { return &reader{o} }

// A caller has a function.
type caller struct{ call func() }

type summer interface{ sum() int }

//go:noinline
func newCaller(f func()) *caller { return &caller{f} }

// A callBus has functions that it calls, and may forget one of them.
type callBus struct{ calls []func() }

// A call is known to the bus by its function.
type call struct {
	of   *callBus
	data [5]int
}

func (b *callBus) add() *call {
	s := &call{of: b}
	b.calls = append(b.calls, func() { s.data[0]++ })
	return s
}

// TestWatchVariables watches objects that only variables of the test hold. What
// holds them is reported as an error if a collection has them, and else logged.
func TestWatchVariables(t *testing.T) {
	for _, test := range []struct {
		name     string
		run      func(t testing.TB)
		err, log string
	}{
		{"variable", func(t testing.TB) { o := watchNew(t); use(o); use(o) }, "", ""},
		{"field", func(t testing.TB) {
			o := new(object)
			r := newReader(o)
			Watch(t, o)
			use(r.of)
		}, "", "heaptest_test.reader.of"},
		{"watched field", func(t testing.TB) {
			o := new(object)
			r := newReader(o)
			Watch(t, o, r)
			use(r.of)
		}, "", ""},
		{"slice", func(t testing.TB) {
			list := make([]*object, 1<<16) // too large for the stack
			list[5] = new(object)
			Watch(t, list[5])
			use(list[5])
		}, "", "*heaptest_test.object[elem]"},
		{"map", func(t testing.TB) {
			all := make(map[int]*object)
			for i := range 100 {
				all[i] = new(object)
			}
			Watch(t, all[3])
			use(all[4])
		}, "map.group[int]*heaptest_test.object", ""},
		{"cache", func(t testing.TB) {
			c := newLocalCache()
			for range 100 {
				o := new(object)
				c.add(o)
				Watch(t, o)
			}
			use(c.objects[5])
		}, "localCache.objects", ""},
		{"cache of caches", func(t testing.TB) {
			all := map[string]*localCache{"a": newLocalCache()}
			o := new(object)
			all["a"].add(o)
			Watch(t, o)
			all["a"].add(nil)
		}, "localCache.objects", ""},
		{"cache on the stack", func(t testing.TB) {
			c, o := localCache{objects: make(map[int]*object)}, new(object)
			c.add(o)
			Watch(t, o)
			c.add(nil)
		}, "", "on the stack"},
		{"large cache on the stack", func(t testing.TB) {
			c := localCache{objects: make(map[int]*object)}
			for range 100 {
				c.add(new(object))
			}
			Watch(t, c.objects[1])
			c.add(nil)
		}, "map.group[int]*heaptest_test.object", ""},
		{"many frames", func(t testing.TB) { watchDeep(t, newLocalCache(), 100) }, "localCache.objects", ""},
		{"array of closures", func(t testing.TB) {
			c, o := newLocalCache(), new(object)
			adds := []func(*object){c.add, func(o *object) { c.add(o) }}
			for _, f := range adds {
				f(o)
			}
			Watch(t, o)
			for _, f := range adds {
				f(nil)
			}
		}, "localCache.objects", ""},
		{"stopped timer", func(t testing.TB) {
			o := new(object)
			timer := time.AfterFunc(time.Hour, func() { use(o) })
			Watch(t, o)
			timer.Stop()
		}, "", "timer.arg"},
		{"stopped timer in a field", func(t testing.TB) {
			o := new(object)
			s := &struct{ timer *time.Timer }{time.AfterFunc(time.Hour, func() { use(o) })}
			h := newCaller(func() { s.timer.Stop() })
			Watch(t, o)
			h.call()
		}, "", "timer.arg"},
		{"running timer", func(t testing.TB) {
			o := new(object)
			timer := time.AfterFunc(time.Hour, func() { use(o) })
			Watch(t, o)
			t.Cleanup(func() { timer.Reset(time.Hour) })
		}, "(timer)", ""},
		{"stopped function of a context", func(t testing.TB) {
			ctx, cancel := context.WithCancel(context.Background())
			o := new(object)
			stop := context.AfterFunc(ctx, func() { use(o) })
			Watch(t, o)
			stop()
			cancel()
		}, "", "afterFuncCtx.f"},
		{"function", func(t testing.TB) {
			o := new(object)
			h := newCaller(func() { use(o) })
			Watch(t, o)
			h.call()
		}, "", "caller.call"},
		{"function with a variable", func(t testing.TB) {
			var o *object
			h := newCaller(func() { use(o) })
			o = new(object)
			Watch(t, o)
			h.call()
		}, "", "caller.call"},
		{"function with an interface", func(t testing.TB) {
			var x any
			h := newCaller(func() { use(x.(*object)) })
			x = new(object)
			Watch(t, x)
			h.call()
		}, "", "caller.call"},
		{"function with a named interface", func(t testing.TB) {
			var x summer
			h := newCaller(func() { x.sum() })
			x = new(object)
			Watch(t, x)
			h.call()
		}, "", "caller.call"},
		{"slice of one interface", func(t testing.TB) {
			b := &struct{ all []summer }{make([]summer, 1)}
			h := newCaller(func() { b.all[0].sum() })
			b.all[0] = new(object)
			Watch(t, b.all[0])
			h.call()
		}, "[]heaptest_test.summer[elem]", ""},
		{"functions", func(t testing.TB) {
			var b callBus
			o := new(object)
			b.calls = append(b.calls, func() { use(o) })
			h := newCaller(func() { b.calls[0]() })
			Watch(t, o)
			h.call()
		}, "[]func()[elem]", ""},
		{"function of a bus", func(t testing.TB) {
			s := new(callBus).add()
			Watch(t, s)
			s.data[1]++
		}, "[]func()[elem]", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.err != "" { // what holds the object holds it for good
				defer SetPatience(SetPatience(64 * time.Millisecond))
			}
			r := recorder{TB: t}
			test.run(&r)
			errs, logs := r.end(), strings.Join(r.logs, "\n")
			if (errs != "") != (test.err != "") || !strings.Contains(errs, test.err) || (logs != "") != (test.log != "") || !strings.Contains(logs, test.log) {
				t.Errorf("errors %q, want %q\nlogs %q, want %q", errs, test.err, logs, test.log)
			}
		})
	}
}

// TestWatchAgain watches an object and then others. The cleanup function of the
// first call refers to what Watch has kept, which must not count as what the test
// has: a variable that does not hold the object in a collection is forgotten
// after the first snapshot, and no collection has to wait for it.
func TestWatchAgain(t *testing.T) {
	watchBoth := func(t testing.TB, again func(t testing.TB)) {
		o := new(object)
		b := newReader(o)
		Watch(t, o)
		again(t)
		use(b.of)
	}
	for _, test := range []struct {
		name string
		run  func(t *testing.T)
	}{
		{"object", func(t *testing.T) { watchBoth(t, func(t testing.TB) { watchNew(t) }) }},
		{"reference to the test", func(t *testing.T) {
			watchBoth(t, func(t testing.TB) { Watch(t, &struct{ of testing.TB }{t}) })
		}},
		{"own TB", func(t *testing.T) {
			r := recorder{TB: t}
			watchBoth(&r, func(t testing.TB) { watchNew(t) })
			if errs := r.end(); errs != "" {
				t.Error(errs)
			}
		}},
	} {
		before := forcedCollections()
		t.Run(test.name, test.run)
		if n := forcedCollections() - before; n == 0 || n >= 5 {
			t.Errorf("%s: %d collections, want 1 to 4", test.name, n)
		}
	}
}

// forcedCollections returns the number of collections that were asked for.
func forcedCollections() uint64 {
	s := []metrics.Sample{{Name: "/gc/cycles/forced:gc-cycles"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// TestWatchHolder checks that of several variables that hold an object, the error
// always names the same one.
func TestWatchHolder(t *testing.T) {
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			r := recorder{TB: t}
			watchCached(&r)
			if got, want := r.end(), ".watchCached.one\n"; !strings.Contains(got, want) {
				t.Errorf("errors %q, want %q", got, want)
			}
		})
	}
	wg.Wait()
}

// watchCached watches an object that three caches have.
func watchCached(t testing.TB) {
	zero, one, two, o := newLocalCache(), newLocalCache(), newLocalCache(), new(object)
	for _, c := range []*localCache{one, two, zero} {
		c.add(o)
	}
	Watch(t, o)
	for _, c := range []*localCache{one, two, zero} {
		c.add(nil)
	}
}

// watchDeep watches an object in a cache, in the innermost of n frames.
//
//go:noinline
func watchDeep(t testing.TB, c *localCache, n int) {
	if n > 0 {
		watchDeep(t, newLocalCache(), n-1)
		c.add(nil)
		return
	}
	leakFrom(t, c)
}

// TestWatchKeepsNothing checks that watching an object does not keep it while
// the test runs.
func TestWatchKeepsNothing(t *testing.T) {
	freed := make(chan bool, 2)
	func() {
		o, next := new(object), new(object)
		o.next = next
		for _, o := range []*object{o, next} {
			runtime.AddCleanup(o, func(struct{}) { freed <- true }, struct{}{})
		}
		Watch(t, o, next)
		t.Log(fmt.Sprint(o.data, next.data))
	}()
	for range 2 {
		runtime.GC()
		<-freed
	}
}
