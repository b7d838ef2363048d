// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Tests that leak nothing, although something holds the object for a while.
// TestKinds runs them in separate processes.

package heaptest_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	. "testing/heaptest"
	"testing/synctest"
	"time"
	"unique"
	"weak"
)

// Variables that hold objects for a while.
var (
	cache   sync.Map
	removed = make(map[*object]string)
	hooks   []func()
	pool    = sync.Pool{New: func() any { return new(holder) }}
	weakly  atomic.Pointer[weak.Pointer[object]]
	current atomic.Pointer[object]
	slots   = make(chan *object, 1)
	parts   [][]*object
	texts   []string
)

// A holder is an item of the pool.
type holder struct {
	o   *object
	buf *bufio.Writer
}

// recurse makes the stack grow, with the object in each frame.
func recurse(o *object, n int) int {
	var pad [64]int
	if n == 0 {
		return use(o)
	}
	pad[n%64] = recurse(o, n-1)
	return pad[n%64] + use(o)
}

// A clean is a test that leaks nothing.
type clean struct {
	name string
	run  func(t *testing.T)
}

var cleans = []clean{
	{"local variable", func(t *testing.T) {
		o := watchNew(t)
		use(o)
		for i := range 100 { // these objects are garbage that refers to the object
			o = &object{next: o, data: [5]int{i}}
		}
		use(o)
	}},
	{"removed from a cache in a variable", func(t *testing.T) {
		c, o := newLocalCache(), new(object)
		c.add(o)
		Watch(t, o)
		clear(c.objects)
		c.add(nil)
	}},
	{"unsubscribed from a bus in a variable", func(t *testing.T) {
		b := newLocalBus()
		s := b.subscribe() // its part refers back to it
		Watch(t, s)
		s.close(true)
		b.subscribe()
	}},
	{"variable of the heap", func(t *testing.T) {
		o := new(object)
		f := func() { use(o); o = new(object) }
		t.Cleanup(f)
		Watch(t, o)
		f()
	}},
	{"method value and struct in variables", func(t *testing.T) {
		o := new(object)
		f, fixture := o.sum, struct{ a, b *object }{o, o}
		Watch(t, o)
		fixture.a = new(object)
		use(fixture.a)
		f()
		use(fixture.b)
	}},
	{"held by another watched object", func(t *testing.T) {
		c, o := newLocalCache(), new(object)
		c.add(o)
		Watch(t, o)
		Watch(t, c)
		c.add(nil)
	}},
	{"captured by Cleanup", func(t *testing.T) {
		o := watchNew(t)
		t.Cleanup(func() { use(o) })
		t.Cleanup(func() { use(o) })
	}},
	{"captured by an earlier Cleanup", func(t *testing.T) {
		o := new(object)
		t.Cleanup(func() { use(o) })
		t.Cleanup(func() { t.Cleanup(func() { use(o) }) })
		Watch(t, o)
		Watch(t, o)
	}},
	{"freed by an earlier Cleanup", func(t *testing.T) {
		o := new(object)
		cache.Store(o, o)
		t.Cleanup(func() { cache.Delete(o) })
		Watch(t, o)
	}},
	{"deferred", func(t *testing.T) {
		o := watchNew(t)
		defer use(o)
		for i := range 3 {
			defer func() { o.data[i]++ }()
		}
	}},
	{"panic", func(t *testing.T) {
		o := watchNew(t)
		defer func() { _ = recover().(*objectError).o.data }()
		panic(&objectError{o})
	}},
	{"goroutine that has ended", func(t *testing.T) {
		o := watchNew(t)
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() { defer use(o); recurse(o, 10) })
		}
		wg.Wait()
	}},
	{"goroutine that is about to end", func(t *testing.T) {
		o := watchNew(t)
		go func() {
			defer use(o)
			time.Sleep(5 * time.Millisecond)
		}()
	}},
	{"goroutine that Cleanup ends", func(t *testing.T) {
		stop, done := make(chan bool), make(chan bool)
		t.Cleanup(func() { close(stop); <-done })
		o := watchNew(t)
		go func() {
			<-stop
			use(o)
			close(done)
		}()
	}},
	{"stopped timer", func(t *testing.T) {
		o := watchNew(t)
		time.AfterFunc(time.Hour, func() { use(o) }).Stop()
	}},
	{"stopped timer among others", func(t *testing.T) {
		o := watchNew(t)
		var others []*time.Timer
		for range 20 {
			others = append(others, time.AfterFunc(30*time.Minute, func() {}))
		}
		time.AfterFunc(time.Hour, func() { use(o) }).Stop()
		t.Cleanup(func() {
			for _, x := range others {
				x.Stop()
			}
		})
	}},
	{"timer that has fired", func(t *testing.T) {
		o := watchNew(t)
		fired := make(chan bool)
		time.AfterFunc(time.Microsecond, func() { use(o); fired <- true })
		<-fired
	}},
	{"ticker without references", func(t *testing.T) {
		o := watchNew(t)
		c := time.NewTicker(time.Hour).C
		select {
		case <-c:
			use(o)
		default:
		}
	}},
	{"canceled context", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.WithValue(t.Context(), "object", watchNew(t)))
		context.AfterFunc(ctx, func() { use(ctx.Value("object").(*object)) })
		child, stop := context.WithTimeout(ctx, time.Hour)
		go func() { <-child.Done() }()
		stop()
		cancel()
	}},
	{"context of the test", func(t *testing.T) {
		o := watchNew(t)
		context.AfterFunc(context.WithValue(t.Context(), "object", o), func() { use(o) })
	}},
	{"pool", func(t *testing.T) {
		h := pool.Get().(*holder)
		h.o = watchNew(t)
		pool.Put(h)
	}},
	{"pools of fmt and slog", func(t *testing.T) {
		o := watchNew(t)
		fmt.Fprintf(io.Discard, "%v %p %T", o, o, o)
		_ = fmt.Errorf("%v: %w", o, &objectError{o})
		slog.New(slog.NewJSONHandler(io.Discard, nil)).Info("x", "object", o)
		t.Logf("%v", o.data)
	}},
	{"unique", func(t *testing.T) {
		h := unique.Make(wrapper{watchNew(t)})
		use(h.Value().o)
	}},
	{"weak pointer", func(t *testing.T) {
		w := weak.Make(watchNew(t))
		weakly.Store(&w)
		if o := w.Value(); o != nil {
			use(o)
		}
	}},
	{"cleanup", func(t *testing.T) {
		o := watchNew(t)
		for range 3 {
			runtime.AddCleanup(o, func(n int) {}, 5)
		}
	}},
	{"finalizer", func(t *testing.T) {
		runtime.SetFinalizer(watchNew(t), func(o *object) { use(o) })
	}},
	{"finalizers that hold each other", func(t *testing.T) {
		o := watchNew(t)
		for range 40 {
			runtime.SetFinalizer(o, func(o *object) { use(o) })
			o = &object{next: o}
		}
	}},
	{"removed from maps", func(t *testing.T) {
		o := watchNew(t)
		hold(func() { removed[o] = "x"; delete(removed, o) })
		cache.Store(o, o)
		cache.Delete(o)
	}},
	{"removed from a list of functions", func(t *testing.T) {
		o := watchNew(t)
		hold(func() {
			hooks = append(hooks, func() { use(o) })
			hooks[len(hooks)-1]()
			hooks = slices.Delete(hooks, len(hooks)-1, len(hooks))
		})
	}},
	{"received", func(t *testing.T) {
		hold(func() { slots <- watchNew(t); use(<-slots) })
		c := make(chan *object)
		go func() { c <- watchNew(t) }()
		use(<-c)
	}},
	{"swapped out", func(t *testing.T) {
		current.Store(watchNew(t))
		if o := current.Swap(nil); o != nil { // another copy of this test may have taken it
			use(o)
		}
	}},
	{"copied part", func(t *testing.T) {
		all := make([]*object, 1000)
		s := strings.Repeat("abc", 1000)
		Watch(t, all, s)
		part, sub := slices.Clone(all[10:12]), strings.Clone(s[10:30])
		hold(func() { parts, texts = [][]*object{part}, []string{sub} })
	}},
	{"cycle", func(t *testing.T) {
		a, b := watchNew(t), watchNew(t)
		a.next, b.next = b, a
	}},
	{"subtests", func(t *testing.T) {
		o := watchNew(t)
		for i := range 3 {
			t.Run("sub", func(t *testing.T) {
				if i > 0 {
					t.Parallel()
				}
				o := watchNew(t)
				use(o)
			})
			t.Run("shared", func(t *testing.T) { t.Parallel(); use(o) })
		}
	}},
	{"stopped iterator", func(t *testing.T) {
		o := watchNew(t)
		next, stop := iter.Pull(slices.Values(o.data[:]))
		next()
		stop()
	}},
	{"stack that has grown", func(t *testing.T) { recurse(watchNew(t), 1000) }},
	{"method value", func(t *testing.T) {
		f := watchNew(t).sum
		Watch(t, f)
		f()
	}},
	{"maps, channels and closures", func(t *testing.T) {
		m, c, n := make(map[int]*object), make(chan *object, 10), new(object)
		f := func() { n.data[0]++ }
		Watch(t, m, c, f, &n.data[2])
		for i := range 100 {
			m[i] = n
		}
		c <- n
		f()
	}},
	{"encoded", func(t *testing.T) {
		m := map[string]*[16]int{"a": {1, 2}}
		Watch(t, m, m["a"])
		b, _ := json.Marshal(m)
		var back map[string]*[16]int
		if json.Unmarshal(b, &back) == nil {
			Watch(t, back["a"])
		}
		bufio.NewWriter(new(bytes.Buffer)).Write(b)
	}},
	{"errors", func(t *testing.T) {
		err := fmt.Errorf("a: %w", errors.Join(&objectError{watchNew(t)}, io.EOF))
		var e *objectError
		if errors.As(err, &e) {
			use(e.o)
		}
	}},
	{"connection", func(t *testing.T) {
		a, b := net.Pipe()
		Watch(t, a, b)
		go io.Copy(io.Discard, b)
		a.Write(make([]byte, 100))
		a.Close()
	}},
	{"bubble", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			o := watchNew(t)
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			defer cancel()
			time.AfterFunc(time.Minute, func() { use(o) })
			stopped := time.AfterFunc(2*time.Hour, func() { use(o) })
			go func() { <-ctx.Done(); use(o) }()
			time.Sleep(90 * time.Minute)
			stopped.Stop()
			synctest.Wait()
		})
	}},
}
