// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"reflect"
	"runtime"
	"sync"
	"testing"
	"unsafe"
)

// TestShapes counts the objects of small heaps. It counts all objects by the
// allocator's numbers, and those with pointers by a walk.
func TestShapes(t *testing.T) {
	useOneP(t)
	tests := []struct {
		name          string
		objects, want int
		root          any // pointer to the global variable
	}{
		{"records", 1, 73 + 1, &records},
		{"records", 7300, 7300 + 1, &records},
		{"shuffled", 7300, 7300 + 1, &records},
		{"paths", 1, 111 + 1000, &paths},
		{"paths", 5000, 111 + 5000, &paths},
	}
	for _, test := range tests {
		pointerful := shapes[test.name](test.objects)
		if got := countPointerful(reflect.ValueOf(test.root).Elem(), make(map[unsafe.Pointer]bool)); got != pointerful {
			t.Errorf("%s %d: %d objects with pointers, counted %d", test.name, test.objects, pointerful, got)
		}
		if got := countLive(test.root); got < test.want-10 || got > test.want+10 {
			t.Errorf("%s %d: %d objects, want %d", test.name, test.objects, got, test.want)
		}
	}
}

// TestGoroutines counts the objects that goroutines hold. It subtracts the
// objects that goroutines without data leave in the heap. The first goroutines
// use up the structures that the runtime has kept of ended goroutines.
func TestGoroutines(t *testing.T) {
	useOneP(t)
	const n = 1000
	waitWithNothing(n)
	before := liveObjects()
	waitWithNothing(n)
	nothing := liveObjects() - before
	if got := makeGoroutines(n); got != 4*n {
		t.Errorf("%d objects with pointers, want %d", got, 4*n)
	}
	if got := liveObjects() - before - 2*nothing; got < 6*n-10 || got > 6*n+10 {
		t.Errorf("%d goroutines hold %d objects, want %d", n, got, 6*n)
	}
}

// waitWithNothing starts n goroutines that only wait.
func waitWithNothing(n int) {
	var waiting sync.WaitGroup
	waiting.Add(n)
	for range n {
		go func() {
			waiting.Done()
			<-forever
		}()
	}
	waiting.Wait()
}

// countLive returns the number of objects that die when the variable is
// cleared.
func countLive(root any) int {
	with := liveObjects()
	reflect.ValueOf(root).Elem().SetZero()
	return with - liveObjects()
}

// useOneP runs the test on one P. With more Ps, two things would change the
// counts: objects that other Ps keep for later, and mark workers of these Ps,
// which start when there is work.
func useOneP(t *testing.T) {
	procs := runtime.GOMAXPROCS(1)
	t.Cleanup(func() { runtime.GOMAXPROCS(procs) })
}

func liveObjects() int {
	for range 3 { // sync.Pools keep what they have for two collections
		runtime.GC()
	}
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int(stats.HeapObjects)
}

// countPointerful returns how many objects with pointers v leads to.
func countPointerful(v reflect.Value, seen map[unsafe.Pointer]bool) (n int) {
	switch v.Kind() {
	case reflect.Interface:
		return countPointerful(v.Elem(), seen)
	case reflect.Pointer, reflect.Slice:
		if v.IsNil() || seen[v.UnsafePointer()] {
			return 0
		}
	}
	switch v.Kind() {
	case reflect.Pointer:
		seen[v.UnsafePointer()] = true
		return 1 + countPointerful(v.Elem(), seen)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return 0
		}
		seen[v.UnsafePointer()] = true
		n = 1
		for i := range v.Len() {
			n += countPointerful(v.Index(i), seen)
		}
	case reflect.Map:
		if v.IsNil() {
			return 0
		}
		n = 2 // the map and its one group
		for _, key := range v.MapKeys() {
			n += countPointerful(v.MapIndex(key), seen)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			n += countPointerful(v.Field(i), seen)
		}
	}
	return n
}
