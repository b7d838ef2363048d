// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package heaptest reports what holds memory in tests.
//
// [Watch] makes a test fail if an object is reachable when the test ends:
//
//	func TestClose(t *testing.T) {
//		b := NewBus()
//		s := b.Subscribe()
//		heaptest.Watch(t, s)
//		s.Close()
//	}
//
// The report has a shortest path from a root to the object. A root is a global
// variable, a goroutine, a timer, or another reason for which the garbage
// collector keeps an object. The elements of the path have the names that the
// profile refs of net/http/pprof gives them, but some lack the type, and a
// goroutine is written as "goroutine F", where F is the function with which it
// began:
//
//	bus_test.go:11: *bus.Subscription is reachable when the test ends:
//		example.com/bus.all
//		[]*bus.Bus[elem]
//		example.com/bus.Bus.subscriptions map[int]*Subscription
//		map[int]*bus.Subscription[table]
//		map[int]*bus.Subscription
//		bus.Subscription of 32 bytes
//
// [OnlyHeldBy] checks that objects of a type have no other holder than the one
// given, and [MaxRetained] checks that a holder does not retain too much.
//
// # When objects are checked
//
// A test ends when it has returned, its subtests are complete, and its deferred
// and cleanup functions have been called, including cleanup functions that were
// registered before the call of Watch. When it has ended, a garbage collection
// runs. If all objects that the test watches are free, this collection is the
// whole cost of watching. If not, up to ten more collections run within about a
// second. While collections queue finalizers or cleanups, still more
// collections run, up to 210 in all. This gives finalizers, items of pools and
// goroutines that are about to end the time to release objects. If an object is
// still there, up to three snapshots of the heap are searched for a path to it.
//
// Variables of the test itself may refer to the object. Variables that a parent
// test, or a parallel test, uses later make the test fail.
//
// # What only the test holds
//
// A cache in a variable of the test would be free when the test ends, and with
// it what the cache forgot to remove. Watch therefore keeps what the live
// variables of its callers refer to, and what the test's cleanup functions have
// captured, until the objects are checked. The test fails if a map, list,
// channel or slice in one of these objects holds a watched one:
//
//	c := NewCache()
//	c.Put("k", v)
//	heaptest.Watch(t, v)
//	c.Delete("k")
//
// A field that refers to the object, such as that of a buffered reader of a
// connection, is only logged, and so is a slice of the test itself. To say that
// the holder becomes free together with the object, watch both. What Watch
// cannot see is a variable that is not used after the call of Watch; in this
// case, call [runtime.KeepAlive] in a cleanup function.
//
// # What does not hold an object
//
// A watched object is not held by an unused item of a [sync.Pool], a weak
// pointer, a stopped timer, or a finalizer or cleanup of the object itself. The
// argument of a cleanup of another object does hold it. An object that its
// finalizer makes reachable again is reported.
//
// If a goroutine was stopped where the compiler has not recorded its variables,
// some words of its stack may look like pointers and not be pointers. If only
// such words, or the runtime's own structures, refer to an object, it is not
// reported.
//
// # Parallel tests
//
// The functions may be called by parallel tests and by several goroutines of a
// test. Tests that end at the same time share collections and snapshots. In a
// bubble of testing/synctest, collections and pauses take real time, and the
// bubble's clock does not advance.
package heaptest
