// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"net/http"
	"testing"
)

func TestDiffPage(t *testing.T) {
	old, new := (&server{sessions: 100}).file(t), (&server{sessions: 120}).file(t)
	checkPages(t, loadTestSite(t, new, old), []pageTest{
		{"/diff", 0, []string{"Live heap: +21760 in +40 objects", "Old"}},
		{"/diff?sort=shallow", 0, []string{
			"1 to 3 of 3",
			"Own size Retained Objects Type",
			"+20480 +20480 +20 []uint8",
			"+1280 +21760 +20 app.Session",
			"0 +21760 +0 []*app.Session",
			"1 to 3 of 3",
		}},
		{"/diff", 0, []string{
			"+1280 +21760 +20 app.Session",
			"0 +21760 +0 []*app.Session",
			"+20480 +20480 +20 []uint8",
		}},
		{"/diff?by=path&q=uint", 0, []string{
			"1 to 1 of 1",
			"Own size Retained Objects Dominator path",
			"+20480 +20480 +20 app.sessions > []*app.Session > app.Session > []uint8",
		}},
		{"/diff?by=root", http.StatusBadRequest, []string{"There is no such list or order."}},
		{"/diff?sort=name", http.StatusBadRequest, []string{"There is no such list or order."}},
	})
	checkPages(t, loadTestSite(t, old, new), []pageTest{
		{"/diff", 0, []string{"-20480 -20480 -20 []uint8"}},
	})
	busy := (&server{sessions: 102, request: 7}).file(t)
	checkPages(t, loadTestSite(t, busy, old), []pageTest{
		{"/diff", 0, []string{"Live heap: +2176 in +4 objects (without +7168 of the requests for the snapshots)"}},
		{"/diff", 0, []string{
			"1 to 3 of 3",
			"Own size Retained Objects Type",
			"+128 +2176 +2 app.Session",
			"0 +2176 +0 []*app.Session",
			"+2048 +2048 +2 []uint8",
		}},
		{"/diff?by=path", 0, []string{
			"1 to 5 of 5",
			"Own size Retained Objects Dominator path",
			"+128 +2176 +2 app.sessions > []*app.Session > app.Session",
			"0 +2176 +0 (all roots)",
			"0 +2176 +0 app.sessions",
		}},
	})
	checkPages(t, loadTestSite(t, old, old), []pageTest{{"/diff", 0, []string{"Live heap: 0 in +0 objects"}}, {"/diff", 0, []string{"None"}}})
	checkPages(t, loadTestSite(t, old), []pageTest{{"/diff", http.StatusNotFound, []string{"Not Found"}}})
}
