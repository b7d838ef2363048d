// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package heapgraph

import (
	"strings"
	"testing"
)

// matchesName reports whether a set has a name, with or without a type.
func matchesName(set, name string) bool {
	return matchPattern(set, name) || matchPattern(set, withoutType(name))
}

func TestMatchName(t *testing.T) {
	for _, test := range []struct {
		set, name string
		want      bool
	}{
		{"main.T", "main.T", true},
		{"main.T", "main.TT", false},
		{"main.T.f", "main.T.f *U", true},
		{"main.T.f *U", "main.T.f *U", true},
		{"main.T.f *V", "main.T.f *U", false},
		{"...", "main.T", true},
		{"main....", "main.T", true},
		{"...T", "main.T", true},
		{"...T", "main.T.f", false},
		{"m...i...T", "main.T", true},
		{"m...in...n.T", "main.T", false},
		{"ab...ba", "aba", false},
		{"map[string]*main.T[value]", "map[string]*main.T[value]", true},
		{"(timer)", "(timer) time.f", false},
		{"struct { n int; p *main.X }.p", "struct { n int; p *main.X }.p *main.X", true},
		{"main.F[struct { a int }].x", "main.F[struct { a int }].x []int", true},
		{"chan", "chan *main.T[elem]", false},
		{"[]main.I[elem]", "[]main.I[elem](*main.T)", true},
		{"[]main.I[elem](*main.T)", "[]main.I[elem](*main.T)", true},
		{"[]main.I[elem](*main.U)", "[]main.I[elem](*main.T)", false},
		{"[]func()[elem]", "[]func()[elem](main.f.func1)", true},
		{"[]func(int) error[elem]", "[]func(int) error[elem](main.f.func1)", true},
		{"[]func(int)", "[]func(int) error[elem](main.f.func1)", false},
		{"main.T.f", "main.T.f func(int) (int, error)(main.f)", true},
		{"map[string]chan", "map[string]chan int[value]", false},
		{"[]struct", "[]struct { p *main.X }[elem]", false},
		{"", "main.T", false},
		{"main....T", "main.T", true},
		{"main....T", "mainT", false},
		{"main.......T", "main.T", true},
		{"main.......T", "mainT", false},
		{strings.Repeat(".", 1000), "mainT", false}, // 333 times "...", and one dot
		{strings.Repeat(".", 1000), "main.T", true},
		{strings.Repeat(".", 1001), "main.T", false},
		{strings.Repeat(".", 1001), "a.b.c", true},
		{strings.Repeat(".", 999), "", true},
	} {
		if got := matchesName(test.set, test.name); got != test.want {
			t.Errorf("matchesName(%q, %q) = %v, want %v", test.set, test.name, got, test.want)
		}
	}
}
