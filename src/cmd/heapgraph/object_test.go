// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"strings"
	"testing"
)

func TestObject(t *testing.T) {
	name := (&server{sessions: 100}).file(t)
	for _, test := range []struct {
		args []string
		want []string
	}{
		{[]string{"object", "app.Session"}, []string{
			"100 objects have a type that is or matches app.Session. The one of them that retains the most:",
			"",
			"object: app.Session 0xa000",
			"size: 64",
			"retained: 1088 (0.8%) in 2 objects",
			"immediate dominator: (all roots)",
			"path of marking: app.sessions > app.sessions []*Session > []*app.Session[elem]",
			"",
			"References from it: 2",
			"retained share objects vertex (place of the reference)",
			"32 0.0% 1 app.Config 0x8000 (conf)",
			"1024 0.7% 1 []uint8 0xe000 (buf)",
			"",
			"References to it: 2",
			"retained share objects vertex (place of the reference)",
			"0 0.0% 0 goroutine app.serve (app.serve.s *Session)",
			"140480 99.2% 199 []*app.Session 0x0 ([0])",
		}},
		{[]string{"object", "0xa048"}, []string{"object: app.Session 0xa040"}},
		{[]string{"object", "^..uint8$"}, []string{"object: []uint8 0xe000"}},
		{[]string{"object", "-n=1", "0x8000"}, []string{
			"References to it: 101",
			"retained share objects vertex (place of the reference)",
			"1088 0.8% 2 app.Session 0xa000 (conf)",
			"(100 more)",
		}},
		{[]string{"object", "unknown"}, []string{"object: (unknown) 0x40000", "size: 16"}},
		{[]string{"object", "0x42000"}, []string{"retained: 0 (0.0%) in 0 objects", notReached}},
		{[]string{"why", "0x42000"}, []string{notReached}},
		{[]string{"why", "0xe400"}, []string{
			"Shortest path from a root:",
			"retained share objects vertex (reference to it)",
			"140480 99.2% 199 app.sessions",
			"140480 99.2% 199 []*app.Session 0x0",
			"1088 0.8% 2 app.Session 0xa040 ([1])",
			"1024 0.7% 1 []uint8 0xe400 (buf)",
			"",
			"All paths lead through app.Session 0xa040.",
		}},
		{[]string{"why", "0xa000"}, []string{
			"2 paths have no object or root in common, so that cutting one of them does not free the object:",
			"",
			"Path 1:",
			"retained share objects vertex (reference to it)",
			"0 0.0% 0 goroutine app.serve",
			"1088 0.8% 2 app.Session 0xa000 (app.serve.s *Session)",
			"",
			"Path 2:",
			"retained share objects vertex (reference to it)",
			"140480 99.2% 199 app.sessions",
			"140480 99.2% 199 []*app.Session 0x0",
			"1088 0.8% 2 app.Session 0xa000 ([0])",
			"",
			"The object would be free if none of these were there:",
		}},
		{[]string{"why", "-paths=1", "0xa000"}, []string{
			"Not all paths were searched; see the flag -paths.",
		}},
	} {
		args := append([]string{test.args[0], "-bytes", name}, test.args[1:]...)
		checkLines(t, output(t, args...), test.want...)
	}
}

// TestCreatedBy checks that groups, paths and roots say where goroutines were
// started.
func TestCreatedBy(t *testing.T) {
	many := (&server{sessions: 2, goroutines: 3, creators: 2}).file(t)
	const one, two = "created by app.start at /src/app.go:10", "created by app.start at /src/app.go:11"
	checkLines(t, output(t, "why", "-bytes", many, "0xa000"),
		"0 0.0% 0 goroutine app.serve ("+one+")",
		"1088 3.1% 2 app.Session 0xa000 (app.serve.s *Session)")
	checkLines(t, output(t, "object", "-bytes", many, "goroutine app.serve"),
		"object: goroutine app.serve",
		"size: 0",
		"retained: 0 (0.0%) in 0 objects",
		one[:len("created by")]+":"+one[len("created by"):])
	checkLines(t, output(t, "why", "-bytes", "-byfunc", many, "0xa000"), "0 0.0% 0 goroutine app.serve")
	single := (&server{sessions: 2, creators: 1}).file(t)
	checkLines(t, output(t, "why", "-bytes", single, "app.Session"),
		"objects size root",
		"1 64 app.sessions",
		"1 64 goroutine app.serve, "+one,
		"",
		"Shortest path to one of 1 by app.sessions:")
	checkLines(t, output(t, "why", "-bytes", single, "app.Session"),
		"Shortest path to one of 1 by goroutine app.serve, "+one+":",
		"retained share objects vertex (reference to it)",
		"0 0.0% 0 goroutine app.serve ("+one+")")
	checkPages(t, loadTestSite(t, many), []pageTest{
		{"/object?root=2", 0, []string{"Goroutine 1", "app.serve, " + one}},
		{"/object?root=3", 0, []string{"Goroutine 2", "app.serve, " + two}},
		{"/object?address=0xa000", 0, []string{"0 0.0% 0 goroutine app.serve (created by app.start at /app.go:10)"}},
	})
}

// TestWaitMinutes checks that paths and roots say how long goroutines have
// waited.
func TestWaitMinutes(t *testing.T) {
	name := (&server{sessions: 2, goroutines: 3, wait: "select", minutes: 1}).file(t)
	checkLines(t, output(t, "why", "-bytes", "-byfunc", name, "0xa000"), "0 0.0% 0 goroutine app.serve (select, 0 to 2 minutes)")
	checkLines(t, output(t, "object", "-bytes", "-byfunc", name, "goroutine app.serve"),
		"retained: 0 (0.0%) in 0 objects",
		"waits, or waited last: select, 0 to 2 minutes")
}

// TestByFunc checks that goroutines that began with the same function are one
// root.
func TestByFunc(t *testing.T) {
	name := (&server{sessions: 2, goroutines: 3}).file(t)
	for flag, paths := range map[string]string{"-byfunc": "2 paths have", "-byfunc=false": "4 paths have"} {
		if text := output(t, "why", flag, name, "0xa000"); !strings.Contains(text, paths) {
			t.Errorf("%s: not %s:\n%s", flag, paths, text)
		}
	}
}

// TestLabels checks that the labels of a goroutine are printed, unless a line
// stands for several goroutines.
func TestLabels(t *testing.T) {
	name := (&server{sessions: 10, goroutines: 2, labels: true}).file(t)
	const place = " (app.serve.s *Session)"
	checkLines(t, output(t, "object", "-bytes", name, "0xa000"), `0 0.0% 0 goroutine app.serve {"tenant":"blue"}`+place)
	checkLines(t, output(t, "object", "-bytes", "-byfunc", name, "0xa000"), "0 0.0% 0 goroutine app.serve"+place)
}
