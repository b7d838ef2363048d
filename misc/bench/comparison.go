// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import "golang.org/x/perf/benchmath"

const confidence = 0.95

// A row compares the values of a figure on both sides, as benchstat does. It
// has the medians with their confidence intervals, and a Mann-Whitney U-test of
// whether the sides differ.
type row struct {
	figure
	upstream, fork benchmath.Summary
	test           benchmath.Comparison // N1 or N2 is 0 if that side has no values
}

func compare(f figure, upstream, fork []float64) row {
	a := benchmath.NewSample(upstream, &benchmath.DefaultThresholds)
	b := benchmath.NewSample(fork, &benchmath.DefaultThresholds)
	r := row{figure: f}
	r.test.N1, r.test.N2 = len(upstream), len(fork)
	if len(upstream) > 0 {
		r.upstream = benchmath.AssumeNothing.Summary(a, confidence)
	}
	if len(fork) > 0 {
		r.fork = benchmath.AssumeNothing.Summary(b, confidence)
	}
	if r.both() {
		r.test = benchmath.AssumeNothing.Compare(a, b)
	}
	return r
}

// both reports whether both sides have values, and upstream's median is not 0,
// so that there is a ratio.
func (r row) both() bool {
	return r.test.N1 > 0 && r.test.N2 > 0 && r.upstream.Center != 0
}

func (r row) ratio() float64 { return r.fork.Center / r.upstream.Center }

// differs reports whether the sides differ according to the test.
func (r row) differs() bool { return r.both() && r.test.P < r.test.Alpha }
