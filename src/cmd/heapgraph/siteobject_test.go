// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"net/http"
	"testing"
)

func TestHomePage(t *testing.T) {
	checkPages(t, loadTestSite(t, (&server{sessions: 100}).file(t)), []pageTest{
		{"/", 0, []string{
			"Leak suspects",
			"Live heap", "141664",
			"Objects", "204",
			"References", "305",
			"Roots", "3",
			"Reached from roots", "100.0%",
			"Only from less certain roots", "0.0%",
			"Not reached", "0.0%",
			"Retained is what would be free without an object or a root, the dominator of all this. Less certain roots are no sure reason to be live: the write barrier, words that may be no pointers, pools, the runtime’s own variables and goroutines. They count only for what no other root reaches.",
			"The snapshot is not truncated.",
			"140480 (99.2%) in 199 objects at []*app.Session 0x0",
			"Dominators, from the root on",
			"Retained Share Objects Object or root (reference to it from the one above)",
			"140480 99.2% 199 app.sessions",
			"140480 99.2% 199 []*app.Session 0x0",
			"What has accumulated",
			"Retained Share Number Name",
			"107712 76.0% 99 app.Session",
			"Types that retain the most",
			"Retained Share Objects Name",
			"140480 99.2% 199 []*app.Session",
		}},
	})
	checkPages(t, loadTestSite(t, writeTemp(t, spread(t, 20, func(int) string { return "app.v" }))), []pageTest{
		{"/", 0, []string{
			"1280 (100.0%) in 20 objects at 20 objects or roots that have no common dominator: app.v",
			"What has accumulated",
			"Retained Share Number Name",
			"1280 100.0% 20 (unknown)",
		}},
	})
	checkPages(t, loadTestSite(t, writeTemp(t, spread(t, 20, func(i int) string { return string(rune('a' + i)) }))), []pageTest{
		{"/", 0, []string{"There are no leak suspects: no place has accumulated more than a tenth of the reached bytes."}},
	})
	truncated := &server{sessions: 100, meta: map[string]string{"truncated": "references", "dropped": "5"}}
	checkPages(t, loadTestSite(t, truncated.file(t)), []pageTest{
		{"/", 0, []string{
			"The snapshot is truncated: 5 references are missing, and retained sizes are upper bounds.",
			"References are missing from the snapshot: retained sizes are not exact, and cannot show a leak.",
			"Types that retain the most",
		}},
	})
}

func TestObjectPage(t *testing.T) {
	checkPages(t, loadTestSite(t, (&server{sessions: 100, labels: true}).file(t)), []pageTest{
		{"/object?address=0xa000", 0, []string{
			"app.Session 0xa000",
			"Kind", "object",
			"Type", "app.Session",
			"Size", "64",
			"Retained", "1088 (0.8%) in 2 objects",
			"Immediate dominator", "(all roots)",
			"Path in profiles", "app.sessions > app.sessions []*Session > []*app.Session[elem] (by which the collector found it first)",
			"Dominators, from the root on",
			"Retained Share Objects Object or root (reference to it from the one above)",
			"1088 0.8% 2 app.Session 0xa000 (several roots hold it)",
			"Shortest path from a root",
			"Retained Share Objects Object or root (reference to it)",
			`0 0.0% 0 goroutine app.serve {"tenant":"blue"}`,
			"1088 0.8% 2 app.Session 0xa000 (app.serve.s *Session)",
			"Paths that have no object or root in common",
			"Search these paths",
			"Immediately dominated: 1",
			"Retained Share Objects Object or root (reference to it)",
			"1024 0.7% 1 []uint8 0xe000 (buf)",
			"References from it: 2",
			"Retained Share Objects Object or root (place of the reference)",
			"32 0.0% 1 app.Config 0x8000 (conf)",
			"1024 0.7% 1 []uint8 0xe000 (buf)",
			"References to it: 2",
			"Retained Share Objects Object or root (place of the reference)",
			`0 0.0% 0 goroutine app.serve {"tenant":"blue"} (app.serve.s *Session)`,
			"140480 99.2% 199 []*app.Session 0x0 ([0])",
		}},
		{"/object?address=0xa048", 0, []string{"app.Session 0xa040"}}, // inside
		{"/object?address=0x42000", 0, []string{
			"Retained", "0 (0.0%) in 0 objects",
			notReached,
			"Immediately dominated: 0",
			"References from it: 1",
		}},
		{"/object?root=1", 0, []string{"Kind", "root"}},
		{"/object?root=2", 0, []string{
			"Kind", "goroutine",
			"Retained", "0 (0.0%) in 0 objects",
			"Immediate dominator", "(all roots)",
			"Goroutine 1", "tenant: blue app.serve",
		}},
		{"/object?root=3", 0, []string{"Kind", "root, less certain than others. Less certain roots are no sure reason to be live: the write barrier, words that may be no pointers, pools, the runtime’s own variables and goroutines. They count only for what no other root reaches."}},
		{"/object?root=0", 0, []string{"Kind", "all"}},
		{"/object?root=4", http.StatusNotFound, []string{"There is no root 4."}},
		{"/object?root=x", http.StatusBadRequest, []string{"The parameter root is not a number: x."}},
		{"/object?address=0x100000", http.StatusNotFound, []string{"No object is at 0x100000."}},
		{"/object?address=0xg", http.StatusBadRequest, []string{"0xg is not an address."}},
		{"/object?address=8", http.StatusBadRequest, []string{"8 is not an address."}},
		{"/object", http.StatusBadRequest, []string{"The address of an object is missing."}},
	})
}

// TestWaitingPage shows for what goroutines wait.
func TestWaitingPage(t *testing.T) {
	checkPages(t, loadTestSite(t, (&server{sessions: 3, wait: "chan receive"}).file(t)), []pageTest{
		{"/object?address=0xa000", 0, []string{"Shortest path from a root", "Retained Share Objects Object or root (reference to it)", "0 0.0% 0 goroutine app.serve (chan receive)"}},
		{"/object?root=2", 0, []string{"Goroutine 1", "waits, or waited last: chan receive app.serve"}},
	})
	checkPages(t, loadTestSite(t, (&server{sessions: 3, wait: "select", creators: 1}).file(t)), []pageTest{
		{"/object?address=0xa000", 0, []string{"0 0.0% 0 goroutine app.serve (select, created by app.start at /app.go:10)"}},
	})
	checkPages(t, loadTestSite(t, (&server{sessions: 3, goroutines: 2, wait: "select", minutes: 61}).file(t)), []pageTest{
		{"/object?root=3", 0, []string{"Goroutine 2", "waits, or waited last: select for 61 minutes app.serve"}},
	})
}

func TestReferencesPage(t *testing.T) {
	checkPages(t, loadTestSite(t, (&server{sessions: 100}).file(t)), []pageTest{
		{"/references?way=out&address=0x0", 0, []string{
			"1 to 100 of 100",
			"Retained Share Objects Object or root (place of the reference)",
			"1088 0.8% 2 app.Session 0xa000 ([0])",
			"1088 0.8% 2 app.Session 0xa040 ([1])",
		}},
		{"/references?way=in&address=0x8000&from=99", 0, []string{
			"References to app.Config 0x8000",
			"app.Config 0x8000",
			"Previous 100 to 101 of 101",
			"Retained Share Objects Object or root (place of the reference)",
			"1088 0.8% 2 app.Session 0xb8c0 (conf)",
			"16 0.0% 1 (unknown) 0x40000 (at offset 0)",
		}},
		{"/references?address=0x0", http.StatusBadRequest, []string{"The parameter way is neither in nor out."}},
	})
}

func TestPathsPage(t *testing.T) {
	checkPages(t, loadTestSite(t, (&server{sessions: 100}).file(t)), []pageTest{
		{"/paths?address=0xa000", 0, []string{
			"2 paths have no object or root in common, so that cutting one of them does not free the object.",
			"Path 1",
			"Retained Share Objects Object or root (reference to it)",
			"0 0.0% 0 goroutine app.serve",
			"1088 0.8% 2 app.Session 0xa000 (app.serve.s *Session)",
			"Path 2",
			"Retained Share Objects Object or root (reference to it)",
			"140480 99.2% 199 app.sessions",
			"140480 99.2% 199 []*app.Session 0x0",
			"1088 0.8% 2 app.Session 0xa000 ([0])",
			"The object would be free if none of these were there:",
			"Retained Share Objects Object or root",
		}},
		{"/paths?address=0xe400&part=1", 0, []string{
			"All paths lead through one object or root:",
			"Retained Share Objects Object or root",
			"1088 0.8% 2 app.Session 0xa040",
		}},
		{"/paths?address=0xa000&paths=1", 0, []string{"There may be more paths. Search more"}},
		{"/paths?address=0x42000", 0, []string{notReached}},
		{"/paths?root=1", 0, []string{"It is a root."}},
		{"/paths?address=0xa000&paths=0", http.StatusBadRequest, []string{"The number of paths must be from 1 to 40."}},
		{"/paths?address=0xa000&paths=41", http.StatusBadRequest, []string{"The number of paths must be from 1 to 40."}},
	})
}
