// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package memscope_test

import (
	"context"
	"fmt"
	"runtime/memscope"
	"sync"
)

//go:noinline
func work(n int) []byte { return make([]byte, n) }

func ExampleRun() {
	err := memscope.Run(context.Background(), memscope.Limits{}, func(ctx context.Context) error {
		work(4096)
		done := make(chan bool)
		go func() {
			work(1 << 20) // counts, too
			close(done)
		}()
		<-done
		usage := memscope.FromContext(ctx).Usage()
		fmt.Println(usage.Bytes >= 1<<20+4096)
		return nil
	})
	fmt.Println(err)
	// Output:
	// true
	// <nil>
}

func ExampleRun_limit() {
	limits := memscope.Limits{Name: "query", Bytes: 1 << 20}
	err := memscope.Run(context.Background(), limits, func(ctx context.Context) error {
		var rows [][]byte
		for ctx.Err() == nil {
			rows = append(rows, work(1000))
		}
		return ctx.Err()
	})
	fmt.Println(err)
	// Output:
	// memscope: scope "query" has allocated more than 1048576 bytes
}

// A cache is for all requests. The memory that fills it does not count for the
// request that happens to come first.
func ExampleDetach() {
	var once sync.Once
	var cache []byte
	memscope.Run(context.Background(), memscope.Limits{}, func(ctx context.Context) error {
		once.Do(func() {
			memscope.Detach(ctx, func(context.Context) { cache = work(1 << 20) })
		})
		fmt.Println(len(cache), memscope.FromContext(ctx).Usage().Bytes < 1<<20)
		return nil
	})
	// Output:
	// 1048576 true
}
