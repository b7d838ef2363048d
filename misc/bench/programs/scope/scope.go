// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build memscope

package main

import (
	"context"
	"runtime/memscope"
)

// in returns a function that calls alloc in a scope.
func in(limits memscope.Limits, alloc func(n int)) func(n int) {
	return func(n int) {
		memscope.Run(context.Background(), limits, func(context.Context) error {
			alloc(n)
			return nil
		})
	}
}

func scoped(alloc func(n int)) func(n int)  { return in(memscope.Limits{}, alloc) }
func limited(alloc func(n int)) func(n int) { return in(memscope.Limits{Bytes: 1 << 60}, alloc) }
func counted(alloc func(n int)) func(n int) { return in(memscope.Limits{Count: true}, alloc) }

// beside returns a function that calls alloc detached from a scope that counts
// objects.
func beside(alloc func(n int)) func(n int) {
	return func(n int) {
		in(memscope.Limits{Count: true}, func(int) {
			memscope.Detach(context.Background(), func(context.Context) { alloc(n) })
		})(n)
	}
}
