// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

// This file prevents conflicts that only white space causes. Gofmt aligns the
// lines of a table. Therefore one more row may change all lines of the table,
// and an edit of one of them then conflicts.

import "strings"

// respace returns base with the white space of ours, and theirs with that white
// space in the lines that theirs has from base. A line that ours has twice, in
// different forms, stays as it is.
func respace(ours, base, theirs string) (string, string) {
	forms := map[string]string{} // by squeezed text
	for line := range strings.Lines(ours) {
		text := squeeze(line)
		if form, ok := forms[text]; ok && form != line {
			line = ""
		}
		forms[text] = line
	}
	change := map[string]string{}
	for line := range strings.Lines(base) {
		if form := forms[squeeze(line)]; form != "" && form != line {
			change[line] = form
		}
	}
	if len(change) == 0 {
		return base, theirs
	}
	return replaceLines(base, change), replaceLines(theirs, change)
}

// squeeze returns a line with its white space folded.
func squeeze(line string) string { return strings.Join(strings.Fields(line), " ") }

// replaceLines replaces each line of a text that is a key of change.
func replaceLines(text string, change map[string]string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if form, ok := change[line]; ok {
			line = form
		}
		b.WriteString(line)
	}
	return b.String()
}
