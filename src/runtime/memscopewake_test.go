// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package runtime_test

import (
	"context"
	"runtime"
	"runtime/memscope"
	"testing"
)

// TestMemscopeCrossingWakesNobody checks that the allocation that crosses a
// limit wakes no goroutine: that may start a thread, which allocates in the
// middle of the allocation.
func TestMemscopeCrossingWakesNobody(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, n := range []int{1 << 11, 1 << 20} {
		idle := false
		for !idle {
			memscope.Run(context.Background(), memscope.Limits{Bytes: 1 << 10}, func(ctx context.Context) error {
				var woken bool
				if idle, woken = runtime.MemscopeCross(n); idle && woken {
					t.Errorf("an allocation of %d bytes has woken a goroutine", n)
				}
				<-ctx.Done()
				return nil
			})
		}
	}
}
