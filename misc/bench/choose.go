// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"io"
	"regexp"
	"text/tabwriter"
)

// choose returns the benchmarks whose names match, in the table's order.
// Without a pattern it returns all that are not slow.
func choose(all []suite, pattern *regexp.Regexp) ([]benchmark, error) {
	var chosen []benchmark
	for _, s := range all {
		for _, b := range s.benchmarks {
			if pattern == nil && !b.slow || pattern != nil && pattern.MatchString(b.name) {
				chosen = append(chosen, b)
			}
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("no benchmark matches -run %q; -list -run=. names them all", pattern)
	}
	return chosen, nil
}

// writeList writes a line for each benchmark.
func writeList(w io.Writer, chosen []benchmark) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	for _, b := range chosen {
		note := ""
		if b.slow {
			note = " (slow: only with -run)"
		}
		fmt.Fprintf(t, "%s\t%s%s\n", b.name, b.doc, note)
	}
	return t.Flush()
}
