// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"strings"
	"testing"
)

// TestFind gives objects in the ways in which other commands print them.
func TestFind(t *testing.T) {
	name := (&server{sessions: 100}).file(t)
	for _, test := range []struct {
		object string
		want   []string
	}{
		{"*app.Sess", []string{"object: []*app.Session 0x0"}}, // no regular expression
		{"[]*app.Session", []string{"object: []*app.Session 0x0"}},
		{"[]*app.Session 0x0", []string{"object: []*app.Session 0x0"}},
		{"^app.[CS]", []string{"101 objects have a type"}},
		{"^app.[CS]", []string{"2 types match:", "100 objects app.Session", "1 objects app.Config"}},
		{"app.sessions", []string{"object: app.sessions", "size: 0B"}},
		{"goroutine app.serve", []string{"This is a root: it is live because of what it is."}},
	} {
		got := output(t, "why", name, test.object)
		for _, line := range test.want {
			if !contains(got, line) {
				t.Errorf("why %q printed\n%s\nwant a line that begins with %q", test.object, got, line)
			}
		}
	}
}

// contains reports whether a line of text begins with words, whatever the space
// between the words.
func contains(text, words string) bool {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.Join(strings.Fields(line), " "), words) {
			return true
		}
	}
	return false
}
