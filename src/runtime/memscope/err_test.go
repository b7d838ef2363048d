// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package memscope_test

import (
	"context"
	"errors"
	"runtime/memscope"
	"sync"
	"testing"
)

func TestErr(t *testing.T) {
	grow := func(context.Context) error {
		for {
			bytesSink = make([]byte, 1<<10)
			if err := memscope.Err(); err != nil {
				return err
			}
		}
	}
	for _, test := range []struct {
		name  string
		f     func(ctx context.Context) error
		usage int64
	}{
		{"loop", grow, 1<<20 + 1<<10},
		{"inner", func(ctx context.Context) error {
			return memscope.Run(ctx, memscope.Limits{Name: "inner"}, grow)
		}, 0},
		{"goroutine", func(ctx context.Context) (err error) {
			var wg sync.WaitGroup
			wg.Go(func() { err = grow(ctx) })
			wg.Wait()
			return err
		}, 0},
		{"next Run", func(ctx context.Context) error {
			allocate(2 << 20)
			called := false
			err := memscope.Run(ctx, memscope.Limits{}, func(context.Context) error { called = true; return nil })
			if called {
				t.Error("Run calls f in a scope that has crossed its limit")
			}
			return err
		}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := memscope.Run(background, memscope.Limits{Name: "a", Bytes: 1 << 20}, test.f)
			limit := limitOf(t, err)
			var seen *memscope.LimitError
			if !errors.As(limit.Err, &seen) || seen.Name != "a" || seen.Usage != limit.Usage || seen.Err != nil {
				t.Errorf("Err returned %v", limit.Err)
			}
			if test.usage != 0 && limit.Usage.Bytes != test.usage {
				t.Errorf("crossed at %d, want %d", limit.Usage.Bytes, test.usage)
			}
			if err := memscope.Err(); err != nil {
				t.Errorf("after Run: %v", err)
			}
		})
	}
	memscope.Run(background, memscope.Limits{Bytes: 1 << 20}, func(ctx context.Context) error {
		if err := memscope.Err(); err != nil {
			t.Errorf("below the limit: %v", err)
		}
		allocate(2 << 20)
		memscope.Detach(ctx, func(context.Context) {
			if err := memscope.Err(); err != nil {
				t.Errorf("in Detach: %v", err)
			}
		})
		return nil
	})
}
