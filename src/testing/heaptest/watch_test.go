// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package heaptest_test

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	. "testing/heaptest"
	"unsafe"
)

// An object is an object that tests watch.
type object struct {
	next *object
	data [5]int
}

// sum is a method. A method value of it holds the receiver.
func (o *object) sum() int { return o.data[0] + o.data[1] }

// use reads an object. It writes nothing, so goroutines may share the object.
//
//go:noinline
func use(o *object) int { return o.data[0] }

// watchNew returns a new object that is watched.
func watchNew(t testing.TB) *object {
	t.Helper()
	o := new(object)
	Watch(t, o)
	return o
}

// A recorder is a TB that keeps the reported errors. Its cleanup functions run
// in end, so that a test can look at the errors.
type recorder struct {
	testing.TB
	cleanups []func()
	reports  []string
	logs     []string
}

func (r *recorder) Log(args ...any) { r.logs = append(r.logs, fmt.Sprint(args...)) }

func (r *recorder) Cleanup(f func())  { r.cleanups = append(r.cleanups, f) }
func (r *recorder) Error(args ...any) { r.reports = append(r.reports, fmt.Sprint(args...)) }
func (r *recorder) Errorf(f string, args ...any) {
	r.reports = append(r.reports, fmt.Sprintf(f, args...))
}

// end runs the cleanup functions and returns the reported errors.
func (r *recorder) end() string {
	for len(r.cleanups) > 0 {
		last := len(r.cleanups) - 1
		f := r.cleanups[last]
		r.cleanups = r.cleanups[:last]
		f()
	}
	return strings.Join(r.reports, "\n")
}

var watchedGlobal object

// TestWatchRefuses checks the errors for values that cannot be watched, and
// that other values are watched.
func TestWatchRefuses(t *testing.T) {
	n := 5
	o := new(object)
	for _, test := range []struct {
		x    any
		want string
	}{
		{nil, "the value is nil"},
		{(*object)(nil), "the *heaptest_test.object is nil"},
		{map[int]int(nil), "the map[int]int is nil"},
		{(func())(nil), "the func() is nil"},
		{unsafe.Pointer(nil), "the unsafe.Pointer is nil"},
		{5, "a int is not a reference to an object"},
		{*o, "a heaptest_test.object is not a reference to an object"},
		{new(struct{}), "its size is zero"},
		{[]int{}, "its size is zero"},
		{"", "its size is zero"},
		{&watchedGlobal, "does not refer to an object in the heap"},
		{&watchedGlobal.data[2], "does not refer to an object in the heap"},
		{"constant", "does not refer to an object in the heap"},
		{func() {}, "does not refer to an object in the heap"},
		{use, "does not refer to an object in the heap"},
		{new(int), "shares a block"},
		{&n, "shares a block"},
		{unsafe.Pointer(&n), "shares a block"},
		{strings.Repeat("x", 5), "shares a block"},
		{make([]byte, 15), "shares a block"},

		{o, ""},
		{&o.data[2], ""},
		{unsafe.Pointer(o), ""},
		{new(*int), ""},
		{new(any), ""},
		{new(error), ""},
		{make([]byte, 16), ""},
		{make([]byte, 5, 17), ""},
		{new([1 << 20]byte), ""},
		{strings.Repeat("x", 16), ""},
		{make(map[string]int), ""},
		{make(chan int), ""},
		{func() { n++ }, ""},
		{o.sum, ""},
	} {
		r := recorder{TB: t}
		Watch(&r, test.x)
		got := strings.Join(r.reports, "\n")
		if test.want == "" && (got != "" || len(r.cleanups) != 1) {
			t.Errorf("Watch(%T) reports %q and has %d cleanup functions, want no error and one function", test.x, got, len(r.cleanups))
		}
		if test.want != "" && (!strings.HasSuffix(got, test.want) && !strings.Contains(got, test.want) || len(r.cleanups) != 0) {
			t.Errorf("Watch(%T) reports %q and has %d cleanup functions, want %q and none", test.x, got, len(r.cleanups), test.want)
		}
	}
	runtime.KeepAlive(o)
}

// TestWatchOwnTB watches with a TB that is not package testing's.
func TestWatchOwnTB(t *testing.T) {
	r := recorder{TB: t}
	func() {
		Watch(&r, new(object), new(object))
		watchNew(&r)
	}()
	if got := r.end(); got != "" {
		t.Errorf("free objects: %s", got)
	}
	kept := new(object)
	Watch(&r, new(object), kept)
	if got := r.end(); strings.Count(got, "reachable when the test ends") != 1 || !strings.Contains(got, "TestWatchOwnTB.kept *object") {
		t.Errorf("reported %q, want the path to one object", got)
	}
	runtime.KeepAlive(kept)
}

// The types of lists whose nodes alternate.
type (
	odd  struct{ next *even }
	even struct {
		next *odd
		_    [2]int
	}
)

// TestLongPath watches the ends of long lists. A report must have a repeated
// element of the path once, with a count.
func TestLongPath(t *testing.T) {
	const n = 1000
	r := recorder{TB: t}
	one, two := watchNew(&r), new(odd)
	Watch(&r, two)
	for range n {
		one, two = &object{next: one}, &odd{&even{next: two}}
	}
	got := r.end()
	for _, want := range []string{
		"testing/heaptest_test.object.next  (", // then 999 or 1000 times: the first element may have a type
		"(2 lines, ",
	} {
		if !strings.Contains(got, want) || strings.Count(got, "\n") > 30 {
			t.Errorf("reported %s\nwant %q and few lines", got, want)
		}
	}
	runtime.KeepAlive(one)
	runtime.KeepAlive(two)
}

// An uncomparable is a TB that cannot be the key of a map.
type uncomparable struct {
	*recorder
	_ []int
}

func TestWatchUncomparableTB(t *testing.T) {
	u := uncomparable{recorder: &recorder{TB: t}}
	watchNew(u)
	watchNew(u)
	if got := u.end(); got != "" {
		t.Error(got)
	}
}

// TestWatchConcurrently watches objects in several goroutines of a test.
func TestWatchConcurrently(t *testing.T) {
	t.Run("sub", func(t *testing.T) {
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				for range 10 {
					watchNew(t)
					t.Cleanup(func() {})
				}
			})
		}
		wg.Wait()
	})
}

// TestWatchInCleanup watches an object when the test is over.
func TestWatchInCleanup(t *testing.T) {
	t.Run("sub", func(t *testing.T) {
		watchNew(t)
		t.Cleanup(func() {
			watchNew(t)
			t.Cleanup(func() { watchNew(t) })
		})
	})
}

// TestCleanupOrder checks that the objects are checked after all cleanup
// functions, also those of the test's subtests.
func TestCleanupOrder(t *testing.T) {
	held := make(map[*object]bool)
	hold := func(t *testing.T) {
		o := new(object)
		held[o] = true
		t.Cleanup(func() { delete(held, o) })
		Watch(t, o)
		t.Cleanup(func() { use(o) })
	}
	t.Run("sub", func(t *testing.T) {
		hold(t)
		t.Run("sub", func(t *testing.T) {
			t.Parallel()
			hold(t)
		})
	})
}

func BenchmarkRun(b *testing.B) {
	b.Run("watched", func(b *testing.B) { // the cleanup runs for each b.N
		watchNew(b)
		for b.Loop() {
		}
	})
}

func FuzzWatch(f *testing.F) {
	watchNew(f)
	f.Add(1)
	f.Fuzz(func(t *testing.T, n int) { watchNew(t).data[0] = n })
}

// BenchmarkWatch measures a test that watches objects, none of which is held
// when the test ends. It also measures a collection alone. GCs/op is the number
// of collections.
func BenchmarkWatch(b *testing.B) {
	measure := func(name string, f func(b *testing.B)) {
		b.Run(name, func(b *testing.B) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for b.Loop() {
				f(b)
			}
			runtime.ReadMemStats(&after)
			b.ReportMetric(float64(after.NumForcedGC-before.NumForcedGC)/float64(b.N), "GCs/op")
		})
	}
	for _, n := range []int{1, 1000} {
		measure(fmt.Sprintf("objects=%d", n), func(b *testing.B) {
			r := recorder{TB: b}
			for range n {
				watchNew(&r)
			}
			if got := r.end(); got != "" {
				b.Fatal(got)
			}
		})
	}
	measure("GC", func(b *testing.B) { runtime.GC() })
}
