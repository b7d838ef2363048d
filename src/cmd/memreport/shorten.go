// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Lines are left whole: what a cut leaves out is what a reader looks for. Only
// names of a pathological length, as of types with many arguments, are shortened.

package main

import "strings"

const (
	// maxWidth bounds the bytes of a line that is no command. A path of ten
	// elements with long names has less.
	maxWidth = 400
	// leftOut stands for what a line does not have.
	leftOut = "..."
)

// shorten leaves out elements of a path, or words, if a line is too long.
func shorten(line string) string { return shortenAs(line, func(name string) string { return name }) }

// shortenNames is shorten for a line with names of packages, which become short.
func shortenNames(line string) string { return shortenAs(line, shortNames) }

func shortenAs(line string, name func(string) string) string {
	short := name(line)
	if len(short) <= maxWidth {
		return short
	}
	if elements := strings.Split(line, pathSeparator); len(elements) > 2 {
		if path := shortPath(elements, name); len(path) <= maxWidth {
			return path
		}
	}
	return shortWords(short)
}

// shortPath keeps the ends of a path, then the program's own elements, then the
// others, outermost first, as long as they fit by their names.
func shortPath(elements []string, name func(string) string) string {
	names := make([]string, len(elements))
	for i, e := range elements {
		names[i] = name(e)
	}
	keep := make([]bool, len(elements))
	keep[0], keep[len(keep)-1] = true, true
	for _, own := range []bool{true, false} {
		for i, e := range elements {
			if keep[i] || isOwnElement(e) != own {
				continue
			}
			keep[i] = true
			keep[i] = len(joinKept(names, keep)) <= maxWidth
		}
	}
	return joinKept(names, keep)
}

func joinKept(elements []string, keep []bool) string {
	var kept []string
	for i, e := range elements {
		if keep[i] {
			kept = append(kept, e)
		} else if keep[i-1] {
			kept = append(kept, leftOut)
		}
	}
	return strings.Join(kept, pathSeparator)
}

// shortWords leaves out words in the middle of a line. A word that is longer than
// half a line is cut.
func shortWords(line string) string {
	const half = (maxWidth - len(" "+leftOut+" ")) / 2
	head, tail := line[:half], line[len(line)-half:]
	if i := strings.LastIndexByte(head, ' '); strings.TrimSpace(head[:max(i, 0)]) != "" {
		head = head[:i]
	}
	if i := strings.IndexByte(tail, ' '); i >= 0 {
		tail = tail[i+1:]
	}
	return strings.ToValidUTF8(head+" "+leftOut+" "+tail, "")
}
