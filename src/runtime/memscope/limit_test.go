// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package memscope_test

import (
	"context"
	"errors"
	"runtime"
	"runtime/memscope"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// limitOf returns err as a LimitError.
func limitOf(t *testing.T, err error) *memscope.LimitError {
	t.Helper()
	var limit *memscope.LimitError
	if !errors.As(err, &limit) {
		t.Fatalf("Run returned %v, want a LimitError", err)
	}
	return limit
}

func TestLimitIsExact(t *testing.T) {
	for _, test := range []struct {
		name   string
		limits memscope.Limits
		f      func()
		want   memscope.Usage // Usage when the limit is crossed
	}{
		{"bytes", memscope.Limits{Bytes: 10<<20 + 100}, func() { bytesSink = make([]byte, 1000) }, memscope.Usage{Bytes: 10<<20 + 1024}},
		{"bytes exactly", memscope.Limits{Bytes: 10 << 20}, func() { bytesSink = make([]byte, 1000) }, memscope.Usage{Bytes: 10<<20 + 1024}},
		{"large", memscope.Limits{Bytes: 10 << 20}, func() { bytesSink = make([]byte, 3<<20) }, memscope.Usage{Bytes: 12 << 20}},
		{"small", memscope.Limits{Bytes: 1}, func() { bytesSink = make([]byte, 32) }, memscope.Usage{Bytes: 32}},
		{"objects", memscope.Limits{Objects: 1000}, func() { bytesSink = make([]byte, 32) }, memscope.Usage{Bytes: 1001 * 32, Objects: 1001, Calls: 1001}},
		{"calls", memscope.Limits{Calls: 1000}, func() { bytesSink = make([]byte, 32) }, memscope.Usage{Bytes: 1001 * 32, Objects: 1001, Calls: 1001}},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := memscope.Run(background, test.limits, func(ctx context.Context) error {
				for ctx.Err() == nil {
					test.f()
				}
				return context.Cause(ctx)
			})
			limit := limitOf(t, err)
			if limit.Usage != test.want {
				t.Errorf("crossed at %+v, want %+v", limit.Usage, test.want)
			}
			if limit.Max != test.limits.Bytes+test.limits.Objects+test.limits.Calls || !strings.HasPrefix(test.name+"bytes", limit.Limit) && limit.Limit != "bytes" {
				t.Errorf("limit is %d %s", limit.Max, limit.Limit)
			}
			if cause := limit.Err.(*memscope.LimitError); cause.Usage != limit.Usage || cause.Err != nil {
				t.Errorf("cause is %+v", cause)
			}
			if f, _ := limit.Frames().Next(); !strings.Contains(f.Function, "TestLimitIsExact") {
				t.Errorf("crossed in %s", f.Function)
			}
		})
	}
}

func TestNotCrossed(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	for range 20 {
		err := memscope.Run(background, memscope.Limits{Bytes: 2 << 20}, func(ctx context.Context) error {
			var wg sync.WaitGroup
			for range 8 {
				wg.Go(func() {
					for range 2<<20/8/1024 - 2 {
						allocate(1024)
					}
				})
			}
			wg.Wait()
			return ctx.Err()
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestCrossedByMany(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	const max = 64 << 20
	for range 10 {
		err := memscope.Run(background, memscope.Limits{Bytes: max}, func(ctx context.Context) error {
			var wg sync.WaitGroup
			for range 16 {
				wg.Go(func() {
					for ctx.Err() == nil {
						allocate(1024)
					}
				})
			}
			wg.Wait()
			return nil
		})
		if u := limitOf(t, err).Usage.Bytes; u <= max || u > max+8<<20 {
			t.Errorf("crossed at %d, want no more than 8 MiB over %d", u, max)
		}
	}
}

func TestOuterLimit(t *testing.T) {
	var inner error
	outer := memscope.Run(background, memscope.Limits{Name: "outer", Bytes: 1 << 20}, func(ctx context.Context) error {
		inner = memscope.Run(ctx, memscope.Limits{Name: "inner", Bytes: 1 << 30}, func(ctx context.Context) error {
			for ctx.Err() == nil {
				bytesSink = make([]byte, 1024)
			}
			return context.Cause(ctx)
		})
		return nil
	})
	for _, err := range []error{inner, outer} {
		if limit := limitOf(t, err); limit.Name != "outer" || limit.Usage.Bytes>>20 != 1 {
			t.Errorf("limit of %q at %d", limit.Name, limit.Usage.Bytes)
		}
	}
}

func TestCrossedInChild(t *testing.T) {
	err := memscope.Run(background, memscope.Limits{Bytes: 1 << 20}, func(ctx context.Context) error {
		stop := make(chan bool)
		defer close(stop)
		go func() {
			allocate(2 << 20)
			<-stop
		}()
		<-ctx.Done()
		return context.Cause(ctx)
	})
	if limit := limitOf(t, err); limit.Usage.Bytes < 2<<20 || !strings.Contains(limit.Error(), "more than 1048576 bytes") {
		t.Errorf("%v, at %d", limit, limit.Usage.Bytes)
	}
}

func TestCancelDoesNotDependOnAllocator(t *testing.T) {
	// The goroutine that crosses the limit never reaches a point at which
	// it could cancel the context itself.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	cancelled := make(chan bool)
	memscope.Run(background, memscope.Limits{Bytes: 1 << 20}, func(ctx context.Context) error {
		go func() { <-ctx.Done(); close(cancelled) }()
		time.Sleep(time.Millisecond)
		bytesSink = make([]byte, 2<<20)
		for {
			select {
			case <-cancelled:
				return nil
			default:
			}
		}
	})
}

func TestCrossedInBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		err := memscope.Run(background, memscope.Limits{Bytes: 1 << 20}, func(ctx context.Context) error {
			ctx, cancel := context.WithTimeout(ctx, time.Hour)
			defer cancel()
			go func() { allocate(2 << 20) }()
			<-ctx.Done()
			return ctx.Err()
		})
		if limit := limitOf(t, err); limit.Err != context.Canceled || time.Since(start) != 0 {
			t.Errorf("f returned %v after %v", limit.Err, time.Since(start))
		}
	})
}
