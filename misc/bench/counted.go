// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"context"
	"strconv"

	"golang.org/x/perf/benchfmt"
)

// A counted benchmark is a program of this folder that does one thing N times
// (programs/iterate). The number of instructions for one time comes from the
// difference between a run with N = many and a run with N = few, in which the
// instructions of the program's start cancel out. many is so large that the
// difference is tens of millions of instructions or more. Compared with that
// number, random variation in starting is small.
//
// The programs are built without the random choice of the heap's start address,
// because the page allocator's path through its tree depends on addresses.
//
// The time is measured in a run with N = timed outside callgrind, also with
// GOMAXPROCS=1.
type counted struct {
	program, kind    string
	few, many, timed int
}

const fixedHeapBase = "GOEXPERIMENT=norandomizedheapbase64"

func (c counted) benchmark(suite string, doc string) benchmark {
	return c.benchmarkOf(suite, doc, target{"", "./programs/" + c.program})
}

// benchmarkOf is benchmark for a program that may be in another module.
func (c counted) benchmarkOf(suite, doc string, t target) benchmark {
	name := suite + "/" + c.kind
	return benchmark{
		name:  name,
		doc:   doc,
		build: buildTarget(t, c.program, fixedHeapBase),
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
