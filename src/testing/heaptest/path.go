// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file writes paths.

package heaptest

import (
	"debug/heapgraph"
	"fmt"
	"slices"
	"strings"
)

// text returns a path with one element a line, and its object in the last line.
func (s *snapshot) text(path []heapgraph.Reference) string {
	var elements []string
	v := path[len(path)-1].To
	name, path := s.fromVariable(path)
	if name != "" {
		elements = append(elements, name)
		path = asVariable(path)
	}
	for _, r := range path {
		elements = append(elements, s.Elements(r)...)
	}
	return fmt.Sprintf("%s\t%s of %d bytes", lines(elements), s.Name(v), s.Size(v))
}

// asVariable returns a path from a variable without the rest of its value being
// outside: only this package still refers to it, at its beginning.
func asVariable(path []heapgraph.Reference) []heapgraph.Reference {
	path = slices.Clone(path)
	for i := range path[:min(1, len(path))] {
		path[i].Outside = false
	}
	return path
}

// maxPeriod is the largest number of adjacent elements that are written once if
// they repeat, as on the path to the end of a list.
const maxPeriod = 8

// maxLines is the largest number of lines of a path that are written. In a
// longer path, one more line replaces the middle, and gives the number of lines
// left out.
const maxLines = 40

// lines returns elements, one a line. Elements that repeat are written once,
// with the number of times.
func lines(elements []string) string {
	var all []string
	for len(elements) > 0 {
		period, times := repeats(elements)
		for i, e := range elements[:period] {
			switch {
			case i > 0 || times == 1:
			case period == 1:
				e = fmt.Sprintf("%s  (%d times)", e, times)
			default:
				e = fmt.Sprintf("%s  (%d lines, %d times)", e, period, times)
			}
			all = append(all, "\t"+e+"\n")
		}
		elements = elements[period*times:]
	}
	if n := len(all) - maxLines; n > 0 {
		more := fmt.Sprintf("\t(%d more)\n", n)
		all = slices.Concat(all[:maxLines/2], []string{more}, all[maxLines/2+n:])
	}
	return strings.Join(all, "")
}

// repeats returns the number of elements at the beginning of a list that
// repeat, and the number of times that they occur. It takes the shortest
// period. If nothing repeats, it returns 1 and 1.
func repeats(elements []string) (period, times int) {
	for period = 1; period <= maxPeriod; period++ {
		n := period
		for n < len(elements) && elements[n] == elements[n-period] {
			n++
		}
		if n >= 2*period {
			return period, n / period
		}
	}
	return 1, 1
}
