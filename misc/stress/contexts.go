// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This worker makes trees of contexts with values and deadlines, and cancels
// their roots, which runs functions.

package main

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

type contextKey struct{}

func cancelContexts(r *rand.Rand) func() {
	return func() {
		root, cancel := context.WithCancel(context.Background())
		var wg sync.WaitGroup
		for range 10 {
			ctx, cancelChild := context.WithTimeout(context.WithValue(root, contextKey{}, newNode(r)), time.Hour)
			wg.Add(1)
			context.AfterFunc(ctx, func() {
				defer wg.Done()
				ctx.Value(contextKey{}).(*node).alive()
			})
			wg.Go(func() {
				<-ctx.Done()
				cancelChild()
			})
		}
		cancel()
		wg.Wait()
	}
}
