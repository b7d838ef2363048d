// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package memscope_test

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/memscope"
	"testing"
)

// setRate sets the rate of the heap profile for a test.
func setRate(t *testing.T, rate int) {
	old := runtime.MemProfileRate
	runtime.MemProfileRate = rate
	t.Cleanup(func() { runtime.MemProfileRate = old })
}

func TestLiveAtRateOne(t *testing.T) {
	setRate(t, 1)
	var outer, inner *memscope.Scope
	keep := make([][]byte, 100)
	memscope.Run(background, memscope.Limits{}, func(ctx context.Context) error {
		outer = memscope.FromContext(ctx)
		for i := range keep {
			keep[i] = make([]byte, 1000)
		}
		return memscope.Run(ctx, memscope.Limits{}, func(ctx context.Context) error {
			inner = memscope.FromContext(ctx)
			for i := range 50 {
				keep[i] = make([]byte, 3000)
			}
			return nil
		})
	})
	for _, test := range []struct {
		drop         int
		outer, inner int64 // objects
	}{{0, 100, 50}, {10, 90, 40}, {70, 30, 0}, {100, 0, 0}} {
		clear(keep[:test.drop])
		runtime.GC()
		for _, s := range []struct {
			*memscope.Scope
			name string
			want int64
		}{{outer, "outer", test.outer}, {inner, "inner", test.inner}} {
			// Run itself allocates a few objects in the scope.
			if u := s.Usage(); u.LiveObjects < s.want || u.LiveObjects > s.want+10 {
				t.Errorf("after dropping %d, %s scope has %d live objects, want %d", test.drop, s.name, u.LiveObjects, s.want)
			}
		}
		big := max(0, 50-int64(test.drop)) * 3072
		if u := inner.Usage(); u.LiveBytes < big || u.LiveBytes > big+1024 {
			t.Errorf("after dropping %d, inner scope has %d live bytes, want %d", test.drop, u.LiveBytes, big)
		}
	}
	runtime.KeepAlive(keep)
}

func TestLiveIsUnbiased(t *testing.T) {
	const rate = 4096
	setRate(t, rate)
	rnd := rand.New(rand.NewPCG(1, 2))
	var s *memscope.Scope
	keep := make([][]byte, 40000)
	var objects, bytes, variance float64
	memscope.Run(background, memscope.Limits{}, func(ctx context.Context) error {
		s = memscope.FromContext(ctx)
		for i := range keep {
			size := []int{64, 512, 2048, 8192}[rnd.IntN(4)]
			keep[i] = allocate(size)
			objects++
			bytes += float64(size)
			p := 1 - math.Exp(-float64(size)/rate)
			variance += float64(size) * float64(size) * (1 - p) / p
		}
		return nil
	})
	runtime.GC()
	u := s.Usage()
	// The limit is five standard deviations: a correct implementation fails
	// once in two million runs.
	if sigma := math.Sqrt(variance); math.Abs(float64(u.LiveBytes)-bytes) > 5*sigma {
		t.Errorf("%d live bytes, want %.0f with a standard deviation of %.0f", u.LiveBytes, bytes, sigma)
	}
	if math.Abs(float64(u.LiveObjects)-objects) > objects/10 {
		t.Errorf("%d live objects, want about %.0f", u.LiveObjects, objects)
	}
	runtime.KeepAlive(keep)
	keep = nil
	runtime.GC()
	if u := s.Usage(); u.LiveBytes != 0 || u.LiveObjects != 0 {
		t.Errorf("%d live bytes in %d objects after all was dropped", u.LiveBytes, u.LiveObjects)
	}
}
