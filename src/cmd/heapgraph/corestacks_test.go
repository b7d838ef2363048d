// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"cmd/heapgraph/internal/core"
	"strings"
	"testing"
)

// TestStackWarnings checks the warnings about stacks and functions that could
// not be read.
func TestStackWarnings(t *testing.T) {
	for _, test := range []struct {
		stats core.Stats
		want  []string
	}{
		{core.Stats{Objects: 9}, nil},
		{core.Stats{Modules: 1}, []string{"functions of 1 plugin "}},
		{core.Stats{Lost: 2}, []string{"the stacks of 2 goroutines that ran"}},
		{core.Stats{Cut: 1}, []string{"stacks of 1 goroutine could not"}},
		{core.Stats{Modules: 2, Lost: 1, Cut: 3}, []string{"2 plugins", "1 goroutine ", "3 goroutines"}},
	} {
		got := stackWarnings(test.stats)
		ok := len(got) == len(test.want)
		for i := 0; ok && i < len(got); i++ {
			ok = strings.Contains(got[i], test.want[i])
		}
		if !ok {
			t.Errorf("%+v: the warnings are %q, and not %q", test.stats, got, test.want)
		}
	}
}
