// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// losses is the largest number of unknown parts that are listed, and of paths
// that are not expected or have changed.
const losses = 10

// report writes the known shares of samples, and their largest unknown parts.
func report(w io.Writer, samples []sample) {
	total := sum(samples)
	fmt.Fprintf(w, "%12s %7s %7s %7s %7s %7s  %s\n", "bytes", "share", "known", noRoot, noType, noType, "root")
	fmt.Fprintf(w, "%52s\n", "on path")
	for _, g := range group(samples, func(s sample) string { return s.root }) {
		row(w, g, total)
	}
	row(w, part{"all", samples}, total)

	paths := group(samples, func(s sample) string { return strings.Join(s.path, "\x00") })
	fmt.Fprintf(w, "\n%d paths; 90%% of the bytes are in %d, 99%% in %d\n", len(paths), most(paths, 0.90), most(paths, 0.99))

	lost := slices.DeleteFunc(slices.Clone(samples), func(s sample) bool { return s.gap() == noGap })
	parts := group(lost, func(s sample) string { return s.root + "\x00" + s.loss() + "\x00" + string(s.gap()) })
	fmt.Fprintf(w, "\nthe largest of %d parts that are not known, and the largest path of each:\n", len(parts))
	for _, g := range parts[:min(losses, len(parts))] {
		loss(w, g, total)
	}
}

// row writes the known shares of a part of the samples.
func row(w io.Writer, g part, total int64) {
	all := sum(g.samples)
	gaps := make(map[gap]int64)
	for _, s := range g.samples {
		gaps[s.gap()] += s.bytes
	}
	fmt.Fprintf(w, "%12d %6.2f%% %6.2f%% %6.2f%% %6.2f%% %6.2f%%  %s\n", all, percent(all, total),
		percent(gaps[noGap], all), percent(gaps[noRoot], all), percent(gaps[noType], all), percent(gaps[noTypePath], all), g.name)
}

// loss writes the bytes that are unknown in one way, and the largest path among
// them.
func loss(w io.Writer, g part, total int64) {
	const indent = "                          "
	s := slices.MaxFunc(g.samples, func(a, b sample) int { return cmp.Compare(a.bytes, b.bytes) })
	fmt.Fprintf(w, "%12d %6.2f%%  %s, %s: %s\n", sum(g.samples), percent(sum(g.samples), total), s.root, s.gap(), s.loss())
	lines := append(slices.Clone(s.path), "type "+s.typ)
	fmt.Fprintf(w, "%12d %6.2f%%      %s\n", s.bytes, percent(s.bytes, total), strings.Join(lines, "\n"+indent))
}

// A part is the samples that have a name in common.
type part struct {
	name    string
	samples []sample
}

// group groups samples by name, the group with the most bytes first.
func group(samples []sample, name func(sample) string) []part {
	groups := map[string][]sample{}
	for _, s := range samples {
		groups[name(s)] = append(groups[name(s)], s)
	}
	var parts []part
	for _, n := range slices.Sorted(maps.Keys(groups)) {
		parts = append(parts, part{n, groups[n]})
	}
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(sum(b.samples), sum(a.samples)) })
	return parts
}

// most returns the number of the largest parts that together have a share of
// the bytes.
func most(parts []part, share float64) int {
	var need float64
	for _, p := range parts {
		need += share * float64(sum(p.samples))
	}
	for i, p := range parts {
		if need <= 0 {
			return i
		}
		need -= float64(sum(p.samples))
	}
	return len(parts)
}

func sum(samples []sample) int64 {
	var total int64
	for _, s := range samples {
		total += s.bytes
	}
	return total
}

func percent(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return 100 * float64(part) / float64(whole)
}
