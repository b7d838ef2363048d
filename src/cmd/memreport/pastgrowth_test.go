// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"strings"
	"testing"
)

func TestGrew(t *testing.T) {
	const path = "grew, and no longer grows: main.items > map[int]*main.item[value]: "
	for _, test := range []struct {
		name  string
		at    [4]int64 // megabytes of the live heap, as of a list that has grown by 45 MB
		other int64    // megabytes of another list
		want  string
	}{
		{"in the first third", [4]int64{30, 75, 75, 75}, 0, path + "45 MB in the first 10 s"},
		{"a bit later, too", [4]int64{30, 73, 74, 75}, 0, path + "45 MB in the first 10 s"},
		{"in two thirds", [4]int64{30, 50, 75, 75}, 0, path + "45 MB in the first 20 s"},
		{"in the second third", [4]int64{30, 30, 74, 75}, 0, path + "45 MB in the first 20 s"},
		{"in the last third", [4]int64{30, 30, 30, 75}, 0, ""},
		{"always", [4]int64{30, 45, 60, 75}, 0, ""},
		{"and shrinks", [4]int64{30, 75, 80, 75}, 0, ""},
		{"of two lists", [4]int64{30, 105, 105, 105}, 30, ""},
		{"for another list, which has become smaller", [4]int64{30, 30, 30, 30}, -45, ""},
	} {
		f := atRest()
		f.grow("global", 45*mb, 450, 45*mb, "main.items", "map[int]*main.item[value]")
		if test.other != 0 {
			f.grow("global", test.other*mb, 10*test.other, test.other*mb, "main.others", "map[int]*main.item[value]")
		}
		for i, n := range test.at {
			f.Moments[collected[i]].Live = n * mb
		}
		if got := f.grewText(); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
	if got := atRest().grewText(); got != "" {
		t.Errorf("at rest: %q", got)
	}
	f := compared(makeTake(t, sizes{}), makeTake(t, sizes{leak: 45 * mb}))
	if got := f.grewText(); got != "" {
		t.Errorf("two takes: %q", got)
	}
}

// TestEnded watches a server that leaks once in the watch, and one that has leaked
// before it. No finding is about them.
func TestEnded(t *testing.T) {
	exe := buildServer(t)
	for mode, want := range map[string]bool{"ended": true, "full": false} {
		dir, text := watchServer(t, startServer(t, exe, mode))
		if got := signatures(t, dir); len(got) > 0 {
			t.Errorf("%s: findings %q", mode, got)
		}
		if !strings.Contains(text, "\nmost is held by main.sessions > map[int]*main.session[value]: ") ||
			strings.Contains(text, "\ngrew, and no longer grows: main.sessions > map[int]*main.session[value]: 8.") != want {
			t.Errorf("%s:\n%s", mode, text)
		}
	}
}
