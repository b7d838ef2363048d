// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Malloc allocates objects of one kind.
package main

import (
	"runtime"

	"gorefs/misc/bench/programs/iterate"
	"gorefs/misc/bench/programs/objects"
)

func main() {
	iterate.Main(map[string]iterate.Body{
		"tiny8":      objects.Tiny,
		"24noscan":   objects.Small,
		"24scan":     objects.Nodes,
		"4Knoscan":   objects.Pages,
		"4Kscan":     objects.Pointers,
		"large":      objects.Large,
		"sampled":    sampled(objects.Nodes),
		"sampled4K":  sampled(objects.Pages),
		"recycled8":  recycled(objects.Tiny, 500_000),
		"recycled24": recycled(objects.Nodes, 200_000),
		"recycled4K": recycled(objects.Pages, 2_000),
	})
}

// sampled returns alloc with each allocation sampled by the memory profiler.
func sampled(alloc func(n int)) func(n int) {
	return func(n int) {
		runtime.MemProfileRate = 1
		alloc(n)
	}
}

// recycled returns a body that n times allocates a number of objects and has
// them collected, so that the heap does not grow.
func recycled(alloc func(n int), objects int) func(n int) {
	return func(n int) {
		for range n {
			alloc(objects)
			runtime.GC()
		}
	}
}
