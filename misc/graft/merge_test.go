// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"strings"
	"testing"
)

// split returns a file in which each word of text is a line.
func split(text string) string {
	if text == "" {
		return ""
	}
	return strings.Join(strings.Fields(text), "\n") + "\n"
}

func TestMergeTexts(t *testing.T) {
	long := strings.Repeat("=", markerSize+1)
	for _, test := range []struct{ name, ours, base, theirs, want, conflicts string }{
		{"apart", "X b c d e", "a b c d e", "a b c d Y", "X b c d Y", ""},
		{"same edit", "a X c", "a b c", "a X c", "a X c", ""},
		{"one line", "a X c d", "a b c d", "a Y c d", "a X c d", "2 X|b|Y"},
		{"two places", "X b c d Y e f Z", "a b c d e f g", "A b c d e f G", "X b c d Y e f Z", "1 X|a|A 8 Z|g|G"},
		{"removed there", "a c", "a b c", "a B c", "a c", "2 |b|B"},
		{"at the end", "a b X", "a b", "a b Y", "a b X", "3 X||Y"},
		{"line like a marker", "a " + long + " X", "a " + long + " b", "A " + long + " b", "A " + long + " X", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, drop, err := scratchRepo()
			if err != nil {
				t.Fatal(err)
			}
			defer drop()
			blob, conflicts, err := r.mergeTexts(split(test.ours), split(test.base), split(test.theirs))
			if err != nil {
				t.Fatal(err)
			}
			text, err := r.contents(blob)
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "merged", string(text), split(test.want))
			var have []string
			for _, c := range conflicts {
				have = append(have, strings.ReplaceAll(strings.TrimSpace(
					string(rune('0'+c.line))+" "+strings.TrimSuffix(c.ours, "\n")+"|"+strings.TrimSuffix(c.base, "\n")+"|"+strings.TrimSuffix(c.theirs, "\n")), "\n", ","))
			}
			equal(t, "conflicts", strings.Join(have, " "), test.conflicts)
			equal(t, "digest is empty", digest(conflicts) == "", test.conflicts == "")
		})
	}
}

func TestDigest(t *testing.T) {
	a := conflict{line: 1, ours: "x\n", base: "y\n", theirs: "z\n"}
	b := a
	b.line = 7
	equal(t, "digest at another line", digest([]conflict{a}), digest([]conflict{b}))
	b.theirs = "zz\n"
	if digest([]conflict{a}) == digest([]conflict{b}) {
		t.Error("another edit has the same digest")
	}
}

func TestRespace(t *testing.T) {
	for _, test := range []struct{ name, ours, base, theirs, wantBase, wantTheirs string }{
		{"nothing to do", "a b\n", "a b\n", "a b\nc\n", "a b\n", "a b\nc\n"},
		{"aligned table", "a: 1\nbb: 2\n", "a:   1\nbb:  2\nccc: 3\n", "a:   1\nnew: 9\nbb:  2\nccc: 3\n",
			"a: 1\nbb: 2\nccc: 3\n", "a: 1\nnew: 9\nbb: 2\nccc: 3\n"},
		{"the edit changes white space", "a b\n", "a  b\n", "a   b\n", "a b\n", "a   b\n"},
		{"two forms", "a b\na  b\n", "a   b\n", "a   b\nc\n", "a   b\n", "a   b\nc\n"},
		{"no newline at the end", "a b", "a  b", "a  b\n", "a b", "a  b\n"},
	} {
		base, theirs := respace(test.ours, test.base, test.theirs)
		equal(t, test.name+": base", base, test.wantBase)
		equal(t, test.name+": theirs", theirs, test.wantTheirs)
	}
}
