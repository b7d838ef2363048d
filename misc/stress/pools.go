// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This worker has a sync.Pool that several goroutines use while collections
// empty it, and a sync.Map.

package main

import (
	"math/rand/v2"
	"sync"
)

func pool(r *rand.Rand) func() {
	nodes := sync.Pool{New: func() any { return newNode(r2(1)) }}
	var byNumber sync.Map
	return func() {
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				var own [50]*node
				for i := range own {
					own[i] = nodes.Get().(*node).alive()
				}
				for _, n := range own {
					nodes.Put(n)
				}
			})
		}
		wg.Wait()
		for range 50 {
			k := r.IntN(500)
			byNumber.Store(k, newNode(r))
			if v, ok := byNumber.Load(r.IntN(500)); ok {
				v.(*node).alive()
			}
			byNumber.Delete(r.IntN(500))
		}
	}
}
