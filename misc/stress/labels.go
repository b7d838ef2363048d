// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This worker starts goroutines, which inherit its pprof labels and change them
// while they run.

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime/pprof"
	"sync"
)

func labelGoroutines(r *rand.Rand) func() {
	return func() {
		ctx := pprof.WithLabels(context.Background(), pprof.Labels("worker", "labels", "number", fmt.Sprint(r.IntN(400))))
		var wg sync.WaitGroup
		pprof.Do(ctx, pprof.Labels("inner", "1"), func(ctx context.Context) {
			for i := range 10 {
				wg.Go(func() {
					n := newNode(r2(i))
					pprof.SetGoroutineLabels(pprof.WithLabels(ctx, pprof.Labels("i", fmt.Sprint(i))))
					n.alive()
				})
			}
		})
		wg.Wait()
		pprof.SetGoroutineLabels(context.Background())
	}
}
