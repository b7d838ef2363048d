// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"math"
	"strings"
	"testing"
)

var someFigure = figure{"Malloc/tiny8", "sec/op"}

func TestCompare(t *testing.T) {
	upstream := []float64{10, 11, 12, 13, 14, 15, 16}
	fork := []float64{20, 22, 24, 26, 28, 30, 32}
	r := compare(someFigure, upstream, fork)
	if r.upstream.Center != 13 || r.fork.Center != 26 || r.ratio() != 2 {
		t.Errorf("medians %v and %v, ratio %v, want 13, 26 and 2", r.upstream.Center, r.fork.Center, r.ratio())
	}
	// All values of one side are less than all values of the other: 2 of
	// the 14!/(7!7!) = 3432 orders are as extreme.
	if want := 2.0 / 3432; math.Abs(r.test.P-want) > 1e-12 || !r.differs() {
		t.Errorf("p = %v, differs = %v, want %v and true", r.test.P, r.differs(), want)
	}
	if r.upstream.Lo != 10 || r.upstream.Hi != 16 {
		t.Errorf("95%% interval [%v, %v], want [10, 16]", r.upstream.Lo, r.upstream.Hi)
	}
	if same := compare(someFigure, upstream, upstream); same.differs() || same.ratio() != 1 {
		t.Errorf("a side against itself: ratio %v, p = %v", same.ratio(), same.test.P)
	}
}

func TestCompareOneSided(t *testing.T) {
	r := compare(someFigure, nil, []float64{1, 2, 3})
	if r.both() || r.differs() {
		t.Error("a row without upstream's values compares")
	}
	want := "Malloc/tiny8 sec/op - 2.000 ±∞ - n=0+3"
	if got := strings.Join(rowCells(r), " "); got != want {
		t.Errorf("cells %q, want %q", got, want)
	}
}

func TestExtremes(t *testing.T) {
	pair := func(name, unit string, upstream, fork float64) row {
		return compare(figure{name, unit}, []float64{upstream}, []float64{fork})
	}
	got := extremesByUnit([]row{
		pair("a", "sec/op", 100, 101),
		pair("b", "B/op", 10, 10),
		pair("c", "sec/op", 100, 97),
		pair("d", "sec/op", 100, 104),
		compare(figure{"e", "sec/op"}, nil, []float64{1}),
	})
	if len(got) != 2 {
		t.Fatalf("%d units, want 2", len(got))
	}
	if e := got[0]; e.unit != "sec/op" || e.rows != 3 || e.least.name != "c" || e.most.name != "d" {
		t.Errorf("sec/op: %+v, want c and d of 3 rows", e)
	}
	if e := got[1]; e.unit != "B/op" || e.rows != 1 || e.least.name != "b" || e.most.name != "b" {
		t.Errorf("B/op: %+v, want b alone", e)
	}
}
