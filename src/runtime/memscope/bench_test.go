// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package memscope_test

import (
	"context"
	"runtime/memscope"
	"testing"
)

func nothing(context.Context) error { return nil }

func BenchmarkRun(b *testing.B) {
	for _, bench := range []struct {
		name   string
		limits memscope.Limits
	}{
		{"bytes", memscope.Limits{}},
		{"count", memscope.Limits{Count: true}},
		{"limit", memscope.Limits{Name: "kind0", Bytes: 1 << 20}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				memscope.Run(background, bench.limits, nothing)
			}
		})
	}
}

// BenchmarkMalloc allocates on all Ps, outside of scopes and in one scope that
// all Ps share.
func BenchmarkMalloc(b *testing.B) {
	in := func(limits memscope.Limits) func(f func(context.Context) error) {
		return func(f func(context.Context) error) { memscope.Run(background, limits, f) }
	}
	for _, bench := range []struct {
		name string
		run  func(f func(context.Context) error)
	}{
		{"outside", func(f func(context.Context) error) { f(background) }},
		{"bytes", in(memscope.Limits{})},
		{"limit", in(memscope.Limits{Bytes: 1 << 60})},
		{"count", in(memscope.Limits{Count: true})},
	} {
		b.Run(bench.name, func(b *testing.B) {
			bench.run(func(context.Context) error {
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						allocate(24)
					}
				})
				return nil
			})
		})
	}
}

func BenchmarkUsage(b *testing.B) {
	memscope.Run(background, memscope.Limits{}, func(ctx context.Context) error {
		s := memscope.FromContext(ctx)
		for b.Loop() {
			s.Usage()
		}
		return nil
	})
}
