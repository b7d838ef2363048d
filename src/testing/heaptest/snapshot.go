// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file runs garbage collections and takes snapshots. Parallel tests share
// both: if a collection begins after a test has asked for one, the test does
// not need another.

package heaptest

import (
	"bytes"
	"debug/heapgraph"
	"errors"
	"math"
	"runtime"
	"runtime/pprof"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
	"weak"
)

// A shared is work whose result is shared by all callers of do that come before
// the work begins.
type shared struct {
	begun atomic.Int64 // number of times that the work has begun
	mu    sync.Mutex
	done  int64 // number, as begun counts, of the latest work that has ended
}

// do does the work, or waits for another goroutine that begins it after the
// call of do.
func (s *shared) do(work func()) {
	next := s.begun.Load() + 1
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done < next {
		n := s.begun.Add(1)
		work()
		s.done = n
	}
}

var collections shared

// collect runs a garbage collection.
func collect() {
	collections.do(func() {
		runtime_dropTimers()
		runtime.GC()
	})
}

// A snapshot is a heap graph.
type snapshot struct {
	*heapgraph.Graph
	offset int64 // address in the graph minus address in the process
}

var (
	snapshots    shared
	lastSnapshot atomic.Pointer[weak.Pointer[snapshot]] // weak, because a snapshot is large
)

// takeSnapshot returns a snapshot that has been taken since the call. Other
// tests may use it, too.
func takeSnapshot() (s *snapshot, err error) {
	for s == nil && err == nil {
		snapshots.do(func() {
			lastSnapshot.Store(nil) // the previous snapshot is too old for the tests that wait
			if s, err = record(); err == nil {
				last := weak.Make(s)
				lastSnapshot.Store(&last)
			}
		})
		if last := lastSnapshot.Load(); s == nil && last != nil {
			s = last.Value()
		}
	}
	return s, err
}

// origin refers to an object whose address shows the offset of a snapshot.
var origin *[64]byte

// record takes a snapshot.
func record() (*snapshot, error) {
	runtime_dropTimers()
	origin = new([64]byte)
	var file bytes.Buffer
	_, err := new(pprof.HeapGraph).Write(&file)
	for errors.Is(err, pprof.ErrHeapGraphBusy) {
		time.Sleep(time.Millisecond)
		_, err = new(pprof.HeapGraph).Write(&file)
	}
	if err != nil {
		return nil, err
	}
	f, err := heapgraph.NewFile(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		return nil, err
	}
	g, err := f.Graph(&heapgraph.Options{Memory: math.MaxInt64}) // the process's own file is trusted
	if err != nil {
		return nil, err
	}
	for v, end := g.Roots(); v < end; v++ {
		if g.Name(v) != "testing/heaptest.origin" {
			continue
		}
		for object := range g.Targets(v) {
			return &snapshot{g, g.Address(object) - int64(uintptr(unsafe.Pointer(origin)))}, nil
		}
	}
	return nil, errors.New("the snapshot lacks testing/heaptest.origin")
}

// The function is defined in runtime/heaptest.go.
//
//go:linkname runtime_dropTimers runtime.heaptest_dropTimers
func runtime_dropTimers()
