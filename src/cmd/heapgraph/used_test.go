// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import "testing"

// TestUsed checks what is printed of a table of which a slice has the last 10
// sessions. A goroutine holds the first session, too.
func TestUsed(t *testing.T) {
	name := (&server{sessions: 100, resliced: 90}).file(t)
	const used, held = "80 of 32,768 bytes, elements 90 to 99 of at most 4096", "96832 (68.4%) in 178 objects"
	for _, test := range []struct {
		args []string
		want []string
	}{
		{[]string{"object", "0x0"}, []string{
			"object: []*app.Session 0x0",
			"size: 32768",
			"used: " + used,
			"retained: 140480 (99.2%) in 199 objects",
			"held only by elements that are not used: " + held,
		}},
		{[]string{"object", "0xb600"}, []string{"140480 99.2% 199 []*app.Session 0x0 ([88] [outside])"}},
		{[]string{"object", "0xb6c0"}, []string{"140480 99.2% 199 []*app.Session 0x0 ([91])"}},
		{[]string{"object", "0x8000"}, []string{"object: app.Config 0x8000", "size: 32", "retained: 32 (0.0%) in 1 object", "immediate dominator: (all roots)"}},
		{[]string{"why", "0xb600"}, []string{
			"140480 99.2% 199 app.sessions",
			"140480 99.2% 199 []*app.Session 0x0",
			"1088 0.8% 2 app.Session 0xb600 ([88] [outside])",
		}},
		{[]string{"suspects"}, []string{
			"Held only by elements to which no slice or pointer refers any more:",
			"size share objects array (what is used)",
			"96832 68.4% 178 []*app.Session 0x0 (" + used + ")",
		}},
	} {
		args := append([]string{test.args[0], "-bytes", name}, test.args[1:]...)
		checkLines(t, output(t, args...), test.want...)
	}
	checkPages(t, loadTestSite(t, name), []pageTest{
		{"/object?address=0x0", 0, []string{
			"Size", "32768",
			"Used", used,
			"Retained", "140480 (99.2%) in 199 objects",
			"Held only by elements that are not used", held,
		}},
		{"/", 0, []string{
			"Held only by elements to which no slice or pointer refers any more",
			"Size Share Objects Array (what is used)",
			"96832 68.4% 178 []*app.Session 0x0 (" + used + ")",
		}},
	})
}

func TestElements(t *testing.T) {
	for from, want := range map[int]string{
		90: "elements 90 to 99 of at most 4096", 99: "element 99 of at most 4096", 100: "none of at most 4096 elements",
	} {
		name := (&server{sessions: 100, resliced: from}).file(t)
		s, err := newTask(t.Output(), t.Output()).load(name)
		if err != nil {
			t.Fatal(err)
		}
		v, _ := s.Object(0)
		if u, _ := s.Use(v); elements(u) != want {
			t.Errorf("%v is %q, want %q", u, elements(u), want)
		}
	}
}

func TestGrouped(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 204800: "204,800", 1234567: "1,234,567"} {
		if got := grouped(n); got != want {
			t.Errorf("%d is %s, want %s", n, got, want)
		}
	}
}
