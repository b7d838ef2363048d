// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This worker runs memory scopes that count, that have limits, and that are
// nested, leaves scopes by Detach, and leaves goroutines behind in closed scopes.
// Builds with -tags upstream do not have it, because upstream's toolchain has no
// package runtime/memscope.

//go:build !upstream

package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime/memscope"
	"sync"
	"time"
)

var scopers = []worker{
	{"scopes", 2, brief, limitScopes},
}

func limitScopes(r *rand.Rand) func() {
	ctx := context.Background()
	var kept [50]*node
	allocate := func(ctx context.Context) error {
		for range 10_000 {
			kept[r.IntN(len(kept))] = newNode(r)
			if memscope.Err() != nil {
				break
			}
		}
		return nil
	}
	crossed := func(err error, what string) {
		var limit *memscope.LimitError
		must(errors.As(err, &limit), "%s: %v", what, err)
	}
	return func() {
		crossed(memscope.Run(ctx, memscope.Limits{Name: "bytes", Bytes: 100_000}, allocate), "bytes")
		crossed(memscope.Run(ctx, memscope.Limits{Name: "objects", Objects: 100}, allocate), "objects")
		crossed(memscope.Run(ctx, memscope.Limits{Name: "wait", Bytes: 1000}, func(ctx context.Context) error {
			consume(ctx)
			return nil
		}), "wait")
		crossed(memscope.Run(ctx, memscope.Limits{Name: "outer", Bytes: 200_000}, func(ctx context.Context) error {
			crossed(memscope.Run(ctx, memscope.Limits{Name: "inner", Calls: 50}, allocate), "inner")
			var wg sync.WaitGroup
			for i := range 3 {
				wg.Go(func() {
					memscope.Detach(ctx, func(context.Context) { newNode(r2(i)).alive() })
					consume(ctx)
				})
			}
			wg.Wait()
			return nil
		}), "outer")
		left := make(chan bool)
		check(memscope.Run(ctx, memscope.Limits{Bytes: 1 << 20}, func(context.Context) error {
			go func() {
				<-left
				var list *node
				for range 20_000 { // more than the limit of the closed scope
					list = &node{mark: marked, edges: [3]*node{list}}
				}
				must(memscope.Err() == nil, "a closed scope has crossed its limit")
				left <- true
			}()
			return nil
		}))
		left <- true
		<-left
		err := memscope.Run(ctx, memscope.Limits{Count: true}, func(ctx context.Context) error {
			fired := make(chan *node)
			time.AfterFunc(time.Millisecond/10, func() { fired <- newNode(r2(1)) })
			(<-fired).alive()
			u := memscope.FromContext(ctx).Usage()
			must(u.Bytes > 0 && u.Objects > 0 && u.Calls >= u.Objects, "usage %v", u)
			return nil
		})
		check(err)
		for _, n := range kept {
			n.alive()
		}
	}
}

// consume allocates more than its scope permits, and waits until the scope is
// canceled.
func consume(ctx context.Context) {
	var list *node
	for i := 0; i < 10_000 && ctx.Err() == nil; i++ {
		list = &node{mark: marked, edges: [3]*node{list}}
	}
	<-ctx.Done()
	list.alive()
}
