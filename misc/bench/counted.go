// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"context"
	"strconv"

	"golang.org/x/perf/benchfmt"
)

// A counted benchmark is a program of ours that does one thing N times
// (programs/iterate). Its instructions for one are those of a run with N =
// many less those of a run with N = few: what starting takes falls out. many
// is such that the difference is at least 100 million instructions, against
// which chance in starting is small.
//
// The programs are built without the random choice of where the heap begins:
// the page allocator's way through its tree depends on addresses.
//
// Its time is that of a run with N = timed outside callgrind, on one P too.
type counted struct {
	program, kind    string
	few, many, timed int
}

const fixedHeapBase = "GOEXPERIMENT=norandomizedheapbase64"

func (c counted) benchmark(suite string, doc string) benchmark {
	name := suite + "/" + c.kind
	return benchmark{
		name:  name,
		doc:   doc,
		build: buildProgram(c.program, fixedHeapBase),
		measure: func(ctx context.Context, s *side) ([]measurement, error) {
			values, err := c.measure(ctx, s)
			return []measurement{single(name, values...)}, err
		},
	}
}

func (c counted) measure(ctx context.Context, s *side) ([]benchfmt.Value, error) {
	file := s.path(c.program)
	used, err := runMeasured(s.program(ctx, file, []string{"GOMAXPROCS=1"}, c.kind, strconv.Itoa(c.timed)))
	if err != nil {
		return nil, err
	}
	values := used.values(c.timed)
	if !haveValgrind() {
		return values, nil
	}
	few, err := countInstructions(ctx, s, file, c.kind, strconv.Itoa(c.few))
	if err != nil {
		return nil, err
	}
	many, err := countInstructions(ctx, s, file, c.kind, strconv.Itoa(c.many))
	if err != nil {
		return nil, err
	}
	each := (float64(many) - float64(few)) / float64(c.many-c.few)
	return append(values, benchfmt.Value{Value: each, Unit: "instructions/op"}), nil
}
