// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"runtime"
	"sync"
	"time"
	"weak"
)

// What only the runtime holds: by a timer, a finalizer, a cleanup, a weak
// pointer's handle or a pool.

// A file has a buffer, and may refer to another one.
type file struct {
	other *file
	page  []byte
}

func (f *file) touch() { f.page[0]++ }

func repeat(n int, do func()) {
	for range n {
		do()
	}
}

// expire leaves a timer behind that nobody stops.
func expire() {
	f := &file{page: make([]byte, 16<<10)}
	time.AfterFunc(time.Hour, f.touch)
}

// stop stops its timer.
func stop() {
	f := &file{page: make([]byte, 16<<10)}
	time.AfterFunc(time.Hour, f.touch).Stop()
}

// cycle makes an object that is never finalized, because it can be reached from
// what it refers to.
func cycle() {
	f := &file{page: make([]byte, 16<<10)}
	f.other = &file{other: f}
	runtime.SetFinalizer(f, (*file).touch)
}

// finalized makes an object that is finalized, although it refers to itself.
func finalized() {
	f := &file{page: make([]byte, 16<<10)}
	f.other = f
	runtime.SetFinalizer(f, (*file).touch)
}

// cleanItself makes a cleanup that never runs, because its argument refers to
// the object.
func cleanItself() {
	f := &file{page: make([]byte, 16<<10)}
	runtime.AddCleanup(f, (*file).touch, &file{other: f, page: f.page})
}

func cleaned() {
	f := &file{page: make([]byte, 16<<10)}
	runtime.AddCleanup(f, (*file).touch, &file{page: f.page})
}

var cells [][]byte

func keep(c []byte) { cells = append(cells, c) }
func drop(c []byte) {}

// handles makes weak pointers to all bytes of an object. The object keeps their
// handles. From the end on, the list of handles is made in linear time.
func handles(do func([]byte)) {
	c := make([]byte, 120_000)
	for i := range c {
		weak.Make(&c[len(c)-1-i])
	}
	do(c)
}

var buffers sync.Pool

// pool takes n buffers of 1 MB from the pool, or makes them, and gives them back.
func pool(n int, first bool) {
	var all []*[1 << 20]byte
	for range n {
		b, ok := buffers.Get().(*[1 << 20]byte)
		if !ok {
			if !first {
				continue
			}
			b = new([1 << 20]byte)
		}
		b[0]++
		all = append(all, b)
	}
	for _, b := range all {
		buffers.Put(b)
	}
}
