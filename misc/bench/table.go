// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"text/tabwriter"

	"golang.org/x/perf/benchmath"
	"golang.org/x/perf/benchunit"
)

// A table has the rows as text: a grid of all rows, and a grid of the extreme
// ratios by unit.
type table struct {
	caption       string
	rows, summary [][]string // the first line is the head
}

func newTable(rows []row, upstream, fork string) *table {
	t := &table{
		caption: fmt.Sprintf("upstream: %s, fork: %s; %s/%s, %d processors",
			upstream, fork, runtime.GOOS, runtime.GOARCH, runtime.NumCPU()),
		rows:    [][]string{{"benchmark", "unit", "upstream", "fork", "fork/upstream", "test"}},
		summary: [][]string{{"unit", "rows", "least ratio", "in", "greatest ratio", "in"}},
	}
	for _, r := range rows {
		t.rows = append(t.rows, rowCells(r))
	}
	for _, e := range extremesByUnit(rows) {
		t.summary = append(t.summary, []string{e.unit, fmt.Sprint(e.rows),
			formatRatio(e.least), e.least.name, formatRatio(e.most), e.most.name})
	}
	return t
}

func rowCells(r row) []string {
	return []string{
		r.name, r.unit,
		formatSummary(r.upstream, r.unit, r.test.N1),
		formatSummary(r.fork, r.unit, r.test.N2),
		formatRatio(r), formatTest(r),
	}
}

// formatSummary returns the median and the greatest distance from it to an end
// of the confidence interval.
func formatSummary(s benchmath.Summary, unit string, n int) string {
	if n == 0 {
		return "-"
	}
	spread := "∞"
	if reach := math.Max(s.Hi-s.Center, s.Center-s.Lo); !math.IsInf(reach, 0) && s.Center != 0 {
		spread = fmt.Sprintf("%.2f%%", 100*reach/s.Center)
	}
	return benchunit.Scale(s.Center, benchunit.ClassOf(unit)) + " ±" + spread
}

func formatRatio(r row) string {
	if !r.both() {
		return "-"
	}
	return fmt.Sprintf("%.4f", r.ratio())
}

// formatTest returns the U-test's p and the numbers of values. It puts ~ if the
// test does not distinguish the sides.
func formatTest(r row) string {
	if !r.both() {
		return fmt.Sprintf("n=%d+%d", r.test.N1, r.test.N2)
	}
	mark := ""
	if !r.differs() {
		mark = "~ "
	}
	return fmt.Sprintf("%sp=%.3f n=%d+%d", mark, r.test.P, r.test.N1, r.test.N2)
}

func (t *table) text() string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s\n\n", t.caption)
	writeText(&out, t.rows)
	out.WriteString("\n")
	writeText(&out, t.summary)
	return out.String()
}

func writeText(out *strings.Builder, grid [][]string) {
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	for _, cells := range grid {
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	w.Flush()
}

func (t *table) markdown() string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s\n\n", t.caption)
	writeMarkdown(&out, t.rows)
	out.WriteString("\n")
	writeMarkdown(&out, t.summary)
	return out.String()
}

func writeMarkdown(out *strings.Builder, grid [][]string) {
	for i, cells := range grid {
		fmt.Fprintf(out, "| %s |\n", strings.Join(cells, " | "))
		if i == 0 {
			out.WriteString(strings.Repeat("| --- ", len(cells)) + "|\n")
		}
	}
}
