// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"regexp"
	"testing"
)

func TestNoPages(t *testing.T) {
	for _, test := range []struct {
		name           string
		live, resident int64 // megabytes
		note           string
		bytes          int64
		of             string
	}{
		{"all has pages", 30, 30, "alive", 20 * mb, ""},
		{"most has pages", 30, 23, "alive", 20 * mb, ""},
		{"a slice has none", 30, 20, "alive; 30 MB with what has no pages", 39 * mb, ""},
		{"much more than that", 300, 20, "alive; 300 MB with what has no pages", 40 * mb, "at most 20 MB of it is resident"},
	} {
		f := atRest()
		for i := range f.Moments {
			f.Moments[i].Live, f.Moments[i].Classes[live] = test.live*mb, test.resident*mb
		}
		if got := f.note(live, "alive"); got != test.note {
			t.Errorf("%s: %q, want %q", test.name, got, test.note)
		}
		if got := f.note(stacks, "of goroutines"); got != "of goroutines" {
			t.Errorf("%s: of stacks %q", test.name, got)
		}
		of := ""
		if got := f.residentOf(test.bytes); len(got) > 0 {
			of = got[0]
		}
		if of != test.of {
			t.Errorf("%s: %q, want %q", test.name, of, test.of)
		}
	}
	later := atRest()
	later.Moments[spaced].Live, later.Moments[spaced].Classes[live] = 20*mb, 20*mb
	for n, want := range map[int64]string{21 * mb: "alive", 22 * mb: "alive; 22 MB at the next one"} {
		later.Moments[spaced+1].Classes[live] = n
		if got := later.note(live, "alive"); got != want {
			t.Errorf("%d bytes later: %q, want %q", n, got, want)
		}
	}
	f := atRest()
	for i := range f.Moments {
		f.Moments[i].Classes = map[class]int64{live: 0}
	}
	if got := f.note(live, "alive"); got != "alive" || f.residentOf(mb) != nil {
		t.Errorf("the resident size is not known: %q, %q", got, f.residentOf(mb))
	}
}

// TestBlank watches a server whose large slices have no pages.
func TestBlank(t *testing.T) {
	dir, text := watchServer(t, startServer(t, buildServer(t), "blank"))
	if got := signatures(t, dir); len(got) != 1 || got[0] != "live-growth main.blanks > [][]uint8[elem]" {
		t.Errorf("findings %q", got)
	}
	if residentSize(t, dir) {
		for _, want := range []string{
			`\n  live heap +[0-9.]+ [kM]B +.*   alive at the last collection; [23][0-9]{2} MB with what has no pages(?:; [0-9.]+ MB at the next one)?\n`,
			`\n   at most [0-9.]+ [kM]B of it is resident\n`,
		} {
			if !regexp.MustCompile(want).MatchString(text) {
				t.Errorf("%q is not in\n%s", want, text)
			}
		}
	}
}

// residentSize reports whether the system tells what is resident.
func residentSize(t *testing.T, dir string) bool {
	k, err := readTake(dir)
	if err != nil {
		t.Fatal(err)
	}
	_, ok := newFacts(k).now().Classes[foreign]
	return ok
}
