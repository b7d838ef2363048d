// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file watches objects. A watched object has a cleanup, which shows after
// each collection whether the object is still there. No snapshot is needed for
// this.

package heaptest

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"sync"
	"testing"
	"unsafe"
)

// Watch makes the test fail if one of the objects is reachable when the test,
// its subtests and its cleanup functions are done. An object is given by a
// pointer to it or into it, or by a slice, string, map, channel or func value
// that refers to it. Of a slice or string, the object is the whole array.
//
// Watch reports an error if an object cannot be watched: if the value is nil or
// of another kind, or refers to memory outside of the heap (such as a global
// variable), to a user arena, to something of size zero, or to fewer than 16
// bytes in a block of 16 bytes that several objects without pointers may share.
// The object of an unsafe.Pointer, and on 32-bit systems of a func value, must
// have pointers or more than 16 bytes, because its size is not known.
//
// If the test has failed already or is skipped, the objects are not checked.
func Watch(t testing.TB, objects ...any) {
	t.Helper()
	var list []*watched
	variables := testVariables(t)
	for _, x := range objects {
		w, err := newWatched(x)
		if err != nil {
			t.Errorf("heaptest.Watch: %v", err)
			continue
		}
		list = append(list, w)
		variables = append(variables, fields(x, w.addr)...)
	}
	if len(list) == 0 {
		return
	}
	g := groupOf(t)
	g.add(list, variables)
	cleanup(t, func() {
		t.Helper()
		g.once.Do(func() { g.check(t) })
		for _, w := range list {
			if w.verdict != "" {
				t.Error(w.verdict)
			} else if w.note != "" {
				t.Log(w.note)
			}
		}
	})
}

// A watched is an object that is watched. It does not refer to the object.
type watched struct {
	typ     string
	addr    uintptr
	cleanup runtime.Cleanup
	verdict string // error text, or "" if the object is free
	note    string // what held the object as long as the test had its variables, or ""
}

// exists reports whether the object has not been freed.
func (w *watched) exists() bool { return runtime_exists(w.cleanup) }

// newWatched begins to watch the object to which x refers.
func newWatched(x any) (*watched, error) {
	p, size, err := target(x)
	if err != nil {
		return nil, err
	}
	typ := reflect.TypeOf(x).String()
	base, all, shared := runtime_object(p)
	switch {
	case size == 0:
		return nil, fmt.Errorf("a %s refers to nothing: its size is zero", typ)
	case base == 0:
		return nil, fmt.Errorf("a %s does not refer to an object in the heap", typ)
	case shared && size < all:
		return nil, fmt.Errorf("a %s refers to a small object without pointers, which shares a block of memory with others", typ)
	}
	w := &watched{typ: typ, addr: base}
	w.cleanup = runtime.AddCleanup((*byte)(p), func(struct{}) {}, struct{}{})
	return w, nil
}

// target returns the address of a byte of the object to which x refers. The
// object has at least size bytes from there on, unless size is unknownSize.
func target(x any) (p unsafe.Pointer, size uintptr, err error) {
	v := reflect.ValueOf(x)
	switch v.Kind() {
	case reflect.Invalid:
		return nil, 0, errors.New("the value is nil")
	case reflect.Pointer:
		p, size = v.UnsafePointer(), v.Type().Elem().Size()
	case reflect.Slice:
		p, size = v.UnsafePointer(), uintptr(v.Cap())*v.Type().Elem().Size()
	case reflect.String:
		p, size = v.UnsafePointer(), uintptr(v.Len())
	case reflect.Map, reflect.Chan:
		p, size = v.UnsafePointer(), unknownSize
	case reflect.UnsafePointer:
		p, size = v.UnsafePointer(), 1
	case reflect.Func:
		p, size = (*emptyInterface)(unsafe.Pointer(&x)).data, leastClosure
	default:
		return nil, 0, fmt.Errorf("a %s is not a reference to an object", v.Type())
	}
	if p == nil && size != 0 {
		return nil, 0, fmt.Errorf("the %s is nil", v.Type())
	}
	return p, size, nil
}

// unknownSize stands for the size of a map or channel. Both are too large to
// share a block with other objects.
const unknownSize = 1 << 30

// leastClosure is the size, in bytes, of a closure with one variable.
const leastClosure = 2 * unsafe.Sizeof(uintptr(0))

// An emptyInterface is the layout of an any.
type emptyInterface struct{ typ, data unsafe.Pointer }

// A group has the objects that a test watches. They are checked together.
type group struct {
	once    sync.Once
	watches []*watched
	keeper
}

// groups has the groups that have not been checked, except those of TBs that
// are not comparable.
var groups struct {
	sync.Mutex
	of map[testing.TB]*group
}

// groupOf returns the group of t.
func groupOf(t testing.TB) *group {
	if !reflect.ValueOf(t).Comparable() { // a TB that is not of package testing
		return new(group)
	}
	groups.Lock()
	defer groups.Unlock()
	g := groups.of[t]
	if g == nil {
		if groups.of == nil {
			groups.of = make(map[testing.TB]*group)
		}
		g = new(group)
		groups.of[t] = g
	}
	return g
}

// add adds objects to the group, and keeps variables of the test.
func (g *group) add(list []*watched, variables []*variable) {
	groups.Lock()
	defer groups.Unlock()
	g.watches = append(g.watches, list...)
	g.keep(list, variables)
}

// check decides about all objects of the group. Objects that are watched later
// are in another group.
func (g *group) check(t testing.TB) {
	groups.Lock()
	list := g.watches
	if reflect.ValueOf(t).Comparable() && groups.of[t] == g {
		delete(groups.of, t)
	}
	groups.Unlock()
	if !t.Failed() && !t.Skipped() {
		runtime_outside(func() { g.decide(list) })
	}
	g.release(nil)
	for _, w := range list {
		w.cleanup.Stop()
	}
}

//go:linkname cleanup
func cleanup(t testing.TB, f func())

// The functions are defined in runtime/heaptest.go.
//
//go:linkname runtime_object runtime.heaptest_object
func runtime_object(p unsafe.Pointer) (base, size uintptr, shared bool)

//go:linkname runtime_exists runtime.heaptest_exists
func runtime_exists(c runtime.Cleanup) bool

//go:linkname runtime_outside runtime.heaptest_outside
func runtime_outside(f func())
