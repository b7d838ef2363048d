// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"slices"
	"testing"
)

func TestSignature(t *testing.T) {
	for _, test := range []struct{ place, want string }{
		{"main.run.func1", "k main.run.func"},
		{"main.run.func2.1.3", "k main.run.func"},
		{"main.glob..func12.gowrap3", "k main.glob..func.gowrap"},
		{"(stack) > main.f.(slot-0x18) > map[uint64][]uint8[value]", "k (stack) > main.f.(slot-0x) > map[uint64][]uint8[value]"},
		{"main.run-range1", "k main.run"},
		{"main.run.func2-range1.3", "k main.run.func"},
		{"main.run.func1.main.inner-range12.func2", "k main.run.func.main.inner.func"},
		{"crypto/sha256.funcs2", "k crypto/sha256.funcs2"},
	} {
		if got := signature("k", test.place); got != test.want {
			t.Errorf("%s: %q, want %q", test.place, got, test.want)
		}
	}
}

// TestSignatures compares two takes of a program with different sizes.
func TestFunction(t *testing.T) {
	for code, want := range map[string]string{
		"main.f m/a.go:7": "main.f",
		"main.f":          "main.f",
		"main.f[go.shape.struct { main.x int; main.y []uint8 }] m/a.go:7": "main.f[go.shape.struct { main.x int; main.y []uint8 }]",
		"main.(*T[go.shape.interface {}]).m m m/a.go:7":                   "main.(*T[go.shape.interface {}]).m",
		"": "",
	} {
		if got := function(code); got != want {
			t.Errorf("%q: %q, want %q", code, got, want)
		}
	}
}

func TestSignatures(t *testing.T) {
	a := newFacts(makeTake(t, sizes{leak: 6 * mb, mapStep: mb, waitStep: 20, goroutine: 12}))
	b := newFacts(makeTake(t, sizes{leak: 9 * mb, mapStep: 2 * mb, waitStep: 40, goroutine: 20}))
	sorted := func(f *facts) (all []string) {
		for _, x := range find(f) {
			all = append(all, x.Signature)
		}
		slices.Sort(all)
		return all
	}
	want := []string{"goroutines-growth main.wait", "goroutines-leaked main.forget",
		"live-growth main.items > map[int]*main.item[value]", "mapped-growth main.load"}
	if x, y := sorted(a), sorted(b); !slices.Equal(x, want) || !slices.Equal(y, want) {
		t.Errorf("signatures\n%q\n%q, want\n%q", x, y, want)
	}
}
