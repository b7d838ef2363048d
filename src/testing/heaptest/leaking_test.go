// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Tests that leak, each in another way. TestKinds runs them in separate
// processes.

package heaptest_test

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"reflect"
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
)

// Variables that hold objects.
var (
	mu sync.Mutex // for the variables that are not safe for concurrent use

	heldByMap      = make(map[int]*object)
	heldByKey      = make(map[*object]bool)
	heldBySlice    []*object
	heldInList     list.List
	heldInside     []*int
	heldBySubslice [][]*object
	heldBySubstr   []string
	listeners      []func() int
	methods        []func() int
	contexts       []context.Context
	parent, _      = context.WithCancel(context.Background())
	queue          = make(chan *object, 1<<20)
	heldBySyncMap  sync.Map
	heldAtomically [1 << 12]atomic.Pointer[object]
	next           atomic.Int64 // index in heldAtomically, also for unique names
	lastErrors     []error
	handles        []unique.Handle[wrapper]
	iterators      []func() (int, bool)
	values         []reflect.Value
	resurrected    []*object
	keepers        []*keeper
	fifos          []*fifo
	heldInMaps     []any
)

type wrapper struct{ o *object }

type keeper struct{ next *keeper }

type objectError struct{ o *object }

func (e *objectError) Error() string { return fmt.Sprint(e.o.data[0]) }

// A fifo is a queue that leaks. Its linked list begins with before, which is
// the node of the value that pop returned last, and still refers to that value.
type fifo struct{ before, last *node }

type node struct {
	next *node
	o    *object
}

func newFIFO() *fifo {
	n := new(node)
	return &fifo{n, n}
}

func (f *fifo) push(o *object) {
	n := &node{o: o}
	f.last.next = n
	f.last = n
}

func (f *fifo) pop() *object {
	f.before = f.before.next
	return f.before.o
}

// A localCache leaks what is added. No global variable refers to it.
type localCache struct {
	name    string
	objects map[int]*object
}

// An inbox leaks the messages that nobody receives.
type inbox struct{ messages chan *object }

//go:noinline
func (in *inbox) send(o *object) { in.messages <- o }

type adder interface{ add(o *object) }

//go:noinline
func newLocalCache() *localCache { return &localCache{objects: make(map[int]*object)} }

// newLocalCacheOf makes a cache that has o and lives until t ends.
//
//go:noinline
func newLocalCacheOf(t *testing.T, o *object) {
	c := newLocalCache()
	c.add(o)
	t.Cleanup(func() { runtime.KeepAlive(c) })
}

//go:noinline
func (c *localCache) add(o *object) { c.objects[len(c.objects)] = o }

// leakFrom watches an object that the caller's variable c keeps.
//
//go:noinline
func leakFrom(t testing.TB, c adder) {
	o := new(object)
	c.add(o)
	Watch(t, o)
	c.add(nil)
}

//go:noinline
func leakFromAny[T adder](t testing.TB, c T) { leakFrom(t, c) }

// A localBus has subscriptions, which know it.
type localBus struct{ subscriptions map[int]*subscription }

type subscription struct {
	bus   *localBus
	id    int
	parts *part
}

// A part refers back to the whole.
type part struct{ of *subscription }

//go:noinline
func newLocalBus() *localBus { return &localBus{make(map[int]*subscription)} }

//go:noinline
func (b *localBus) subscribe() *subscription {
	s := &subscription{bus: b, id: len(b.subscriptions)}
	s.parts = &part{s}
	b.subscriptions[s.id] = s
	return s
}

//go:noinline
func (s *subscription) close(remove bool) {
	if remove {
		delete(s.bus.subscriptions, s.id)
	}
}

// hold runs f, which makes one of the variables above hold an object.
func hold(f func()) {
	mu.Lock()
	defer mu.Unlock()
	f()
}

// A leak is a test that leaks. The path that Watch reports has the text want.
type leak struct {
	name, want string
	run        func(t *testing.T)
}

var leaks = []leak{
	{"map", "heaptest_test.heldByMap", func(t *testing.T) {
		o := watchNew(t)
		hold(func() { heldByMap[len(heldByMap)] = o })
	}},
	{"key", "heaptest_test.heldByKey", func(t *testing.T) {
		o := watchNew(t)
		hold(func() { heldByKey[o] = true })
	}},
	{"slice", "heaptest_test.heldBySlice", func(t *testing.T) {
		o := watchNew(t)
		hold(func() { heldBySlice = append(heldBySlice, o) })
	}},
	{"list", "heaptest_test.heldInList", func(t *testing.T) {
		o := watchNew(t)
		hold(func() { heldInList.PushBack(o) })
	}},
	{"interior", "heaptest_test.heldInside", func(t *testing.T) {
		o := watchNew(t)
		hold(func() { heldInside = append(heldInside, &o.data[3]) })
	}},
	{"subslice", "heaptest_test.heldBySubslice", func(t *testing.T) {
		all := make([]*object, 1000)
		Watch(t, all)
		hold(func() { heldBySubslice = append(heldBySubslice, all[500:502]) })
	}},
	{"substring", "heaptest_test.heldBySubstr", func(t *testing.T) {
		s := strings.Repeat("abc", 1000)
		Watch(t, s)
		hold(func() { heldBySubstr = append(heldBySubstr, s[10:12]) })
	}},
	{"listener", "heaptest_test.listeners", func(t *testing.T) {
		o := watchNew(t)
		hold(func() { listeners = append(listeners, func() int { return o.data[0] }) })
	}},
	{"method value", "heaptest_test.methods", func(t *testing.T) {
		o := watchNew(t)
		hold(func() { methods = append(methods, o.sum) })
	}},
	{"context", "heaptest_test.contexts", func(t *testing.T) {
		ctx := context.WithValue(t.Context(), "object", watchNew(t))
		ctx = context.WithValue(ctx, "name", t.Name())
		hold(func() { contexts = append(contexts, ctx) })
	}},
	{"context not canceled", "heaptest_test.parent", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.WithValue(parent, "object", watchNew(t)))
		context.AfterFunc(ctx, func() { _ = ctx.Value("object") })
		_ = cancel
	}},
	{"channel", "heaptest_test.queue", func(t *testing.T) { queue <- watchNew(t) }},
	{"sync.Map", "heaptest_test.heldBySyncMap", func(t *testing.T) { heldBySyncMap.Store(next.Add(1), watchNew(t)) }},
	{"atomic.Pointer", "heaptest_test.heldAtomically", func(t *testing.T) {
		heldAtomically[next.Add(1)%int64(len(heldAtomically))].Store(watchNew(t))
	}},
	{"error", "heaptest_test.lastErrors", func(t *testing.T) {
		err := fmt.Errorf("wrapped: %w", errors.Join(&objectError{watchNew(t)}))
		hold(func() { lastErrors = append(lastErrors, err) })
	}},
	{"unique", "heaptest_test.handles", func(t *testing.T) {
		h := unique.Make(wrapper{watchNew(t)})
		hold(func() { handles = append(handles, h) })
	}},
	{"reflect.Value", "heaptest_test.values", func(t *testing.T) {
		v := reflect.ValueOf(watchNew(t)).Elem().FieldByName("data")
		hold(func() { values = append(values, v) })
	}},
	{"iterator", "goroutine runtime.corostart", func(t *testing.T) {
		o := watchNew(t)
		next, _ := iter.Pull(func(yield func(int) bool) {
			for _, x := range o.data {
				if !yield(x) {
					return
				}
			}
		})
		next()
		hold(func() { iterators = append(iterators, next) })
	}},
	{"blocked goroutine", "goroutine ", func(t *testing.T) {
		o := watchNew(t)
		go func() {
			<-make(chan int)
			o.data[0]++
		}()
	}},
	{"waiting for a mutex", "goroutine ", func(t *testing.T) {
		var mu sync.Mutex
		o := watchNew(t)
		mu.Lock()
		go func() {
			mu.Lock()
			o.data[0]++
		}()
	}},
	{"sleeping goroutine", "goroutine ", func(t *testing.T) {
		o := watchNew(t)
		go func() {
			time.Sleep(time.Hour)
			o.data[0]++
		}()
	}},
	{"deferred", "goroutine ", func(t *testing.T) {
		o := watchNew(t)
		go func() {
			defer func() { o.data[0]++ }()
			select {}
		}()
	}},
	{"ticker", "goroutine ", func(t *testing.T) {
		o := watchNew(t)
		go func() {
			for range time.Tick(10 * time.Millisecond) {
				o.data[0]++
			}
		}()
	}},
	{"timer", "(timer) ", func(t *testing.T) {
		o := watchNew(t)
		time.AfterFunc(time.Hour, func() { o.data[0]++ })
	}},
	{"handler", "net/http.defaultServeMux", func(t *testing.T) {
		o := watchNew(t)
		http.HandleFunc(fmt.Sprintf("/heaptest/%d", next.Add(1)), func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, o.data[0])
		})
	}},
	{"finalizer", "heaptest_test.resurrected", func(t *testing.T) {
		runtime.SetFinalizer(watchNew(t), func(o *object) {
			hold(func() { resurrected = append(resurrected, o) })
		})
	}},
	{"cleanup", "heaptest_test.keepers", func(t *testing.T) {
		k := new(keeper)
		runtime.AddCleanup(k, func(o *object) { o.data[0]++ }, watchNew(t))
		hold(func() { keepers = append(keepers, k) })
	}},
	{"popped", "heaptest_test.fifos", func(t *testing.T) {
		f, o := newFIFO(), watchNew(t)
		f.push(new(object))
		f.push(o)
		f.pop()
		f.pop()
		hold(func() { fifos = append(fifos, f) })
	}},
	{"bubble", "heaptest_test.heldBySlice", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			o := watchNew(t)
			time.Sleep(time.Hour)
			hold(func() { heldBySlice = append(heldBySlice, o) })
		})
	}},
	{"map object", "heaptest_test.heldInMaps", func(t *testing.T) {
		m := map[string]int{"a": 1}
		Watch(t, m)
		hold(func() { heldInMaps = append(heldInMaps, m) })
	}},
	{"channel object", "heaptest_test.heldInMaps", func(t *testing.T) {
		c := make(chan int, 3)
		Watch(t, c)
		hold(func() { heldInMaps = append(heldInMaps, c) })
	}},
	{"cache in a variable", "localCache", func(t *testing.T) { leakFrom(t, newLocalCache()) }},
	{"cache in a captured variable", "localCache", func(t *testing.T) {
		var c *localCache
		func() { c = newLocalCache() }()
		add := func(o *object) { c.add(o) }
		o := new(object)
		add(o)
		Watch(t, o)
		add(nil)
	}},
	{"kept by Cleanup", "localCache", func(t *testing.T) {
		c, o := newLocalCache(), new(object)
		c.add(o)
		Watch(t, o)
		t.Cleanup(func() { runtime.KeepAlive(c) })
	}},
	{"kept by an earlier Cleanup", "localCache", func(t *testing.T) {
		o := new(object)
		newLocalCacheOf(t, o)
		Watch(t, o)
	}},
	{"bus that only the subscription knows", "localBus", func(t *testing.T) {
		b := newLocalBus()
		s := b.subscribe()
		Watch(t, s)
		s.close(false)
	}},
	{"list in a variable", "list.Element.Value", func(t *testing.T) {
		l, o := list.New(), new(object)
		l.PushBack(o)
		Watch(t, o)
		l.PushBack(1)
	}},
	{"channel of an object in a variable", "chan *heaptest_test.object", func(t *testing.T) {
		in, o := &inbox{messages: make(chan *object, 3)}, new(object)
		in.send(o)
		Watch(t, o)
		in.send(nil)
	}},
	{"cache in an interface", "localCache", func(t *testing.T) {
		leakFrom(t, adder(newLocalCache()))
	}},
	{"cache of a generic function", "localCache", func(t *testing.T) { leakFromAny(t, newLocalCache()) }},
	{"closure object", "heaptest_test.listeners", func(t *testing.T) {
		n := new(object)
		f := func() int { return n.data[1] }
		Watch(t, f)
		hold(func() { listeners = append(listeners, slices.Repeat([]func() int{f}, 2)...) })
	}},
}
