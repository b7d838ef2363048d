// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"slices"
	"strings"
	"testing"
)

// TestFileLines writes and reads the files of a change list.
func TestFileLines(t *testing.T) {
	long := "src/a/" + strings.Repeat("x", lineWidth) + ".go"
	for _, test := range []struct {
		name         string
		files, lines []string
	}{
		{"one of a folder", []string{"src/a/b.go", "test/t.go"}, []string{"src/a/b.go", "test/t.go"}},
		{"several", []string{"src/a/b.go", "src/a/c.go", "src/a/d.go", "test/t.go"}, []string{"src/a/ b.go c.go d.go", "test/t.go"}},
		{"of a folder in it", []string{"src/a/b.go", "src/a/b/c.go", "src/a/c.go", "src/a/d.go"}, []string{"src/a/b.go", "src/a/b/c.go", "src/a/ c.go d.go"}},
		{"long", []string{"src/a/b.go", long, "src/a/y.go", "src/a/z.go"}, []string{"src/a/b.go", long, "src/a/ y.go z.go"}},
	} {
		got := fileLines(test.files)
		if !slices.Equal(got, test.lines) {
			t.Errorf("%s: %q, want %q", test.name, got, test.lines)
		}
		c := changeList{name: "a", message: "a: add a", files: test.files}
		if read, err := parseList("a", c.text()); err != nil || !slices.Equal(read.files, test.files) {
			t.Errorf("%s: read %q, %v from %q", test.name, read.files, err, c.text())
		}
	}
}
