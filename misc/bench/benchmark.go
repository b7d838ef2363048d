// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import "context"

// A benchmark is built once on each side and then measured there as often as
// the options ask, the sides in turns. Both functions write files only in the
// side's folder (side.dir) and in the go command's caches.
type benchmark struct {
	name string // SUITE/NAME; the names of its measurements begin with SUITE/
	doc  string // description for the list
	slow bool   // runs only when -run matches it

	build   func(ctx context.Context, s *side) error
	measure func(ctx context.Context, s *side) ([]measurement, error)
}

// onlyOnRequest returns the benchmark, marked as slow.
func (b benchmark) onlyOnRequest() benchmark {
	b.slow = true
	return b
}
