// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import "testing"

func TestFindStacks(t *testing.T) {
	fill := func(f *facts) {
		f.Stacks = stackUse{Total: 14 * mb, Goroutines: 800, Filler: "main.wait a/b.go:126", Bytes: 10 * mb, Instances: 400}
	}
	grown := func(f *facts) {
		f.Moments[spaced].Classes[resident] = 100 * mb
		f.Stacks = stackUse{Total: 60 * mb, Free: 50 * mb, Goroutines: 5000, Filler: "main.serve", Bytes: 5 * mb, Instances: 5000}
		f.Grown = []site{{Code: "main.validate a/b.go:7", Bytes: 55 * mb}}
	}
	testFindings(t, findStacks, []findingTest{
		{"filled", fill, []string{"main.wait a/b.go:126"}},
		{"in a large process", func(f *facts) {
			fill(f)
			f.Moments[spaced].Classes[resident] = 400 * mb
		}, nil},
		{"many goroutines with small frames", func(f *facts) {
			fill(f)
			f.Stacks.Instances = 4000
		}, nil},
		{"many functions", func(f *facts) {
			fill(f)
			f.Stacks.Total = 30 * mb
		}, nil},
		{"grown", grown, []string{"main.validate a/b.go:7"}},
		{"connections with small stacks", func(f *facts) {
			grown(f)
			f.Stacks.Goroutines = 10000
		}, nil},
		{"two thirds are free", func(f *facts) {
			grown(f)
			f.Stacks.Total = 75 * mb
		}, []string{"main.validate a/b.go:7"}},
		{"less than two thirds are free", func(f *facts) {
			grown(f)
			f.Stacks.Total = 76 * mb
		}, nil},
		{"two thirds are used", func(f *facts) {
			f.Stacks = stackUse{Total: 102 * mb, Free: 33 * mb, Goroutines: 121, Filler: "main.visit", Bytes: 5 * mb, Instances: 94}
			f.Grown = []site{{Code: "main.visit a/b.go:31", Bytes: 87 * mb}}
		}, nil},
		{"a small part is free", func(f *facts) {
			grown(f)
			f.Stacks.Free = 24 * mb
		}, nil},
	})
}
