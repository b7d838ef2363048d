// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pprof

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"runtime"
	"runtime/pprof"
	"strings"
	"testing"
)

// TestIndexServes follows each link of the index page, as in a program that
// routes to Index alone. For pages that take some time, the client goes away at
// once.
func TestIndexServes(t *testing.T) {
	page := get(http.HandlerFunc(Index), "/debug/pprof/").Body.String()
	listed := make(map[string]bool)
	for _, m := range regexp.MustCompile(`href=['"]([^'"]+)['"]`).FindAllStringSubmatch(page, -1) {
		name, _, _ := strings.Cut(m[1], "?")
		listed[name] = true
		t.Run(m[1], func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			if name == "profile" || name == "trace" || name == "faults" {
				cancel()
			}
			defer cancel()
			w := httptest.NewRecorder()
			Index(w, httptest.NewRequestWithContext(ctx, "GET", "/debug/pprof/"+m[1], nil))
			if name == "faults" && w.Code == http.StatusInternalServerError && strings.Contains(w.Body.String(), "page fault") {
				return // the system refuses the profile; TestFaultsHandler checks that case
			}
			if w.Code != http.StatusOK || w.Body.Len() == 0 {
				t.Errorf("status %d: %s", w.Code, w.Body)
			}
		})
	}
	for _, p := range pprof.Profiles() {
		if !listed[p.Name()] {
			t.Errorf("no link to %s", p.Name())
		}
	}
	for name := range profileDescriptions {
		if !listed[name] {
			t.Errorf("no link to %s, which has a description", name)
		}
	}
}

// TestIndexPages checks that Index serves two pages with the handlers of their
// names.
func TestIndexPages(t *testing.T) {
	if got := get(http.HandlerFunc(Index), "/debug/pprof/cmdline").Body.String(); got != strings.Join(os.Args, "\x00") {
		t.Errorf("cmdline is %q", got)
	}
	pc, _, _, _ := runtime.Caller(0)
	want := runtime.FuncForPC(pc).Name()
	if got := get(http.HandlerFunc(Index), fmt.Sprintf("/debug/pprof/symbol?%#x", pc)).Body.String(); !strings.Contains(got, want) {
		t.Errorf("symbol is %q, want %s in it", got, want)
	}
}
