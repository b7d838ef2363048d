// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package runtime_test

import (
	"context"
	"runtime"
	"runtime/debug"
	"runtime/memscope"
	"slices"
	"testing"
)

func TestMemscopeUserArena(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	defer func(rate int) { runtime.MemProfileRate = rate }(runtime.MemProfileRate)
	for _, rate := range []int{0, 1, 4096, 1 << 30} {
		runtime.MemProfileRate = rate
		memscope.Run(context.Background(), memscope.Limits{Count: true}, func(ctx context.Context) error {
			var got, want int64
			for range 5 { // other goroutines may allocate
				var before, after runtime.MemStats
				scope := memscope.FromContext(ctx)
				runtime.ReadMemStats(&before)
				got = -scope.Usage().Bytes
				fillUserArena()
				got += scope.Usage().Bytes
				runtime.ReadMemStats(&after)
				want = int64(after.TotalAlloc - before.TotalAlloc)
				if got == want {
					break
				}
			}
			if got != want || got < int64(runtime.UserArenaChunkBytes) {
				t.Errorf("at rate %d scope has counted %d bytes, process %d", rate, got, want)
			}
			return nil
		})
	}
}

// fillUserArena makes an arena that needs at least two chunks. The first chunk
// may be one that an earlier arena has used in part. Such a chunk is not
// allocated again, so it does not count. The arena is not freed, so that the
// next arena does not get all its chunks from this one.
func fillUserArena() {
	a := runtime.NewUserArena()
	for range 8 {
		var p any = (*[runtime.UserArenaChunkBytes / 5]byte)(nil)
		a.New(&p)
	}
}

// TestMemscopeCounted takes a goroutine profile that counts more goroutines
// than it has room for, as can happen while threads of C call Go.
func TestMemscopeCounted(t *testing.T) {
	err := memscope.Run(context.Background(), memscope.Limits{Name: "counted"}, func(context.Context) error {
		for _, more := range []int{0, 1, 1000} {
			if got, want := runtime.MemscopeProfileLabels(1000, more), []string{"memscope=counted"}; !slices.Equal(got, want) {
				t.Errorf("%d goroutines more: labels %q, want %q", more, got, want)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

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
