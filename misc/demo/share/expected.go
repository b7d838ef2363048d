// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
)

// An expectation is a structure of a program, and the paths that the program's
// author would give for it, as a regular expression that matches their elements
// joined by " > ". The names of structures that were added after a profile had
// been seen begin with +.
type expectation struct {
	structure string
	path      *regexp.Regexp
}

// readExpected reads expectations from a file. A line has the structure's name,
// white space, and the regular expression. Lines that begin with # are
// comments.
func readExpected(file string) (expected []expectation, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for number := 1; lines.Scan(); number++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		i := strings.IndexAny(line, " \t")
		if i < 0 {
			return nil, fmt.Errorf("%s:%d: a structure without paths", file, number)
		}
		path, err := regexp.Compile(strings.TrimSpace(line[i:]))
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, number, err)
		}
		expected = append(expected, expectation{line[:i], path})
	}
	return expected, lines.Err()
}

// score writes the bytes of the samples under the paths of each structure, and
// under the paths of all together, with and without the added structures. It
// also writes the largest paths that are not expected. A sample counts for the
// first structure whose path matches.
func score(w io.Writer, samples []sample, expected []expectation) {
	const unexpected = "not expected"
	total := sum(samples)
	parts := make(map[string][]sample)
	for _, s := range samples {
		path := strings.Join(s.path, " > ")
		name := unexpected
		if i := slices.IndexFunc(expected, func(e expectation) bool { return e.path.MatchString(path) }); i >= 0 {
			name = expected[i].structure
		}
		parts[name] = append(parts[name], s)
	}
	fmt.Fprintf(w, "%12s %7s  %s\n", "bytes", "share", "structure, under a path that is expected")
	all, added := int64(0), int64(0)
	seen := make(map[string]bool)
	for _, e := range expected {
		if seen[e.structure] {
			continue
		}
		seen[e.structure] = true
		bytes := sum(parts[e.structure])
		scoreRow(w, e.structure, bytes, total)
		if strings.HasPrefix(e.structure, "+") {
			added += bytes
		} else {
			all += bytes
		}
	}
	scoreRow(w, "all", all, total)
	if added > 0 {
		scoreRow(w, "all, with those added", all+added, total)
	}
	fmt.Fprintf(w, "\nthe largest paths that are not expected:\n")
	paths := group(parts[unexpected], func(s sample) string { return strings.Join(s.path, " > ") })
	for _, p := range paths[:min(losses, len(paths))] {
		scoreRow(w, short(p.name), sum(p.samples), total)
	}
}

func scoreRow(w io.Writer, name string, bytes, total int64) {
	fmt.Fprintf(w, "%12d %6.2f%%  %s\n", bytes, percent(bytes, total), name)
}

// short returns a path without its middle if it is long.
func short(path string) string {
	const begin, end = 80, 120
	if len(path) <= begin+end {
		return path
	}
	return path[:begin] + " ... " + path[len(path)-end:]
}

// moved returns the bytes that have appeared under some paths and disappeared
// from others between two profiles of a program, beyond the net growth. Types
// count as parts of paths.
func moved(first, later []sample) int64 {
	var more, less int64
	for _, n := range changes(first, later, sample.place) {
		more += max(n, 0)
		less -= min(n, 0)
	}
	return min(more, less)
}

// changes returns the change of each place in bytes.
func changes(first, later []sample, place func(sample) string) map[string]int64 {
	changes := make(map[string]int64)
	for _, s := range first {
		changes[place(s)] -= s.bytes
	}
	for _, s := range later {
		changes[place(s)] += s.bytes
	}
	return changes
}

// place returns the path of s and its type.
func (s sample) place() string {
	return strings.Join(append(slices.Clone(s.path), s.typ), "\x00")
}

// reportMoved writes the result of moved, and the paths that have changed most.
func reportMoved(w io.Writer, first, later []sample) {
	bytes, total := moved(first, later), sum(first)
	fmt.Fprintf(w, "\n%d bytes, %.2f%%, are under other paths in the later profile, beyond net growth of %+d\n",
		bytes, percent(bytes, total), sum(later)-total)
	changes := changes(first, later, func(s sample) string { return strings.Join(s.path, " > ") })
	paths := slices.Collect(maps.Keys(changes))
	slices.SortFunc(paths, func(a, b string) int {
		return cmp.Or(cmp.Compare(magnitude(changes[b]), magnitude(changes[a])), cmp.Compare(a, b))
	})
	for _, path := range paths[:min(losses, len(paths))] {
		fmt.Fprintf(w, "%+12d %6.2f%%  %s\n", changes[path], percent(magnitude(changes[path]), total), short(path))
	}
}

func magnitude(n int64) int64 { return max(n, -n) }
