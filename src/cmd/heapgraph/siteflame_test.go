// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func TestFlamePage(t *testing.T) {
	h := loadTestSite(t, (&server{sessions: 100}).file(t))
	checkBoxes := func(url string, want ...string) {
		t.Helper()
		checkLines(t, strings.Join(getPage(t, h, url).boxes, "\n")+"\n", want...)
	}
	checkBoxes("/flame",
		"0.000% 0 100.000% (all roots); retained: 141616 (100.0%) in 203 objects; own size: 0 in 0 objects",
		"0.000% 20 99.198% app.sessions; retained: 140480 (99.2%) in 199 objects; own size: 0 in 0 objects",
		"0.000% 40 99.198% []*app.Session; retained: 140480 (99.2%) in 199 objects; own size: 32768 in 1 object",
		"0.000% 60 76.059% app.Session; retained: 107712 (76.0%) in 198 objects; own size: 6336 in 99 objects",
		"0.000% 80 71.585% []uint8; the largest is held in: buf; retained: 101376 (71.6%) in 99 objects; own size: 101376 in 99 objects",
		"99.198% 20 0.768% app.Session; retained: 1088 (0.8%) in 2 objects; own size: 64 in 1 object",
		"99.198% 40 0.723% []uint8; held in: buf; retained: 1024 (0.7%) in 1 object; own size: 1024 in 1 object",
		"")
	checkBoxes("/flame?node=3",
		"0.000% 0 100.000% (all roots); retained: 141616 (100.0%) in 203 objects; own size: 0 in 0 objects",
		"0.000% 20 100.000% app.sessions; retained: 140480 (99.2%) in 199 objects; own size: 0 in 0 objects",
		"0.000% 40 100.000% []*app.Session; retained: 140480 (99.2%) in 199 objects; own size: 32768 in 1 object",
		"0.000% 60 100.000% app.Session; retained: 107712 (76.0%) in 198 objects; own size: 6336 in 99 objects",
		"0.000% 80 94.118% []uint8; the largest is held in: buf; retained: 101376 (71.6%) in 99 objects; own size: 101376 in 99 objects",
		"")
	checkPages(t, h, []pageTest{
		{"/flame?q=^app.S", 0, []string{"Matches retain 108800 (76.8%) in 200 objects."}},
		{"/flame?q=uint8&node=3", 0, []string{"Matches retain 101376 (71.6%) in 99 objects."}},
		{"/flame?q=app", 0, []string{"Matches retain 141600 (100.0%) in 202 objects."}},
		{"/flame?q=(", http.StatusBadRequest, []string{"Bad Request"}},
		{"/flame?node=100", http.StatusNotFound, []string{"Not Found"}},
	})
	p := getPage(t, h, "/flame")
	checkLines(t, strings.Join(p.rows, "\n")+"\n", "package app", "what is above all", "no package, such as []uint8")
	for _, text := range []string{">buf []uint8<", ">app.Session<"} {
		if !strings.Contains(p.body, text) {
			t.Errorf("no box has the text %s", text)
		}
	}
	if n := strings.Count(getPage(t, h, "/flame?q=^app.S").body, ` match"`); n != 2 {
		t.Errorf("%d boxes are marked", n)
	}
}

// TestFlameRest checks that one box stands for all boxes that would be too
// small, and that there are not too many boxes.
func TestFlameRest(t *testing.T) {
	h := loadTestSite(t, writeTemp(t, spread(t, 1200, func(i int) string { return fmt.Sprintf("app.v%d", i) })))
	checkLines(t, strings.Join(getPage(t, h, "/flame").boxes, "\n")+"\n",
		"0.000% 0 100.000% (all roots); retained: 76800 (100.0%) in 1200 objects; own size: 0 in 0 objects",
		"0.000% 20 100.000% (1200 smaller); retained: 76800 (100.0%) in 1200 objects; own size: 0 in 0 objects",
		"")
}
