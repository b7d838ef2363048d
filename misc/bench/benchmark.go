// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import "context"

// A benchmark is built once on each side and then measured there as often as
// asked, the sides taking turns. Both functions keep their files in the
// side's folder (side.dir) only.
type benchmark struct {
	name string // SUITE/NAME, with which its measurements' names begin
	doc  string // what is done, for the list
	slow bool   // runs only when -run matches it

	build   func(ctx context.Context, s *side) error
	measure func(ctx context.Context, s *side) ([]measurement, error)
}

// onlyOnRequest is the benchmark as a slow one.
func (b benchmark) onlyOnRequest() benchmark {
	b.slow = true
	return b
}
