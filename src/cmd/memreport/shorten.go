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
func shorten(line string) string {
	if len(line) <= maxWidth {
		return line
	}
	if elements := strings.Split(line, pathSeparator); len(elements) > 2 {
		if short := shortPath(elements); len(short) <= maxWidth {
			return short
		}
	}
	return shortWords(line)
}

// shortPath keeps the ends of a path, then the program's own elements, then the
// others, outermost first, as long as they fit.
func shortPath(elements []string) string {
	keep := make([]bool, len(elements))
	keep[0], keep[len(keep)-1] = true, true
	for _, own := range []bool{true, false} {
		for i, e := range elements {
			if keep[i] || isOwnElement(e) != own {
				continue
			}
			keep[i] = true
			keep[i] = len(joinKept(elements, keep)) <= maxWidth
		}
	}
	return joinKept(elements, keep)
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
