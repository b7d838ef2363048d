// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"net/http"
	"net/http/pprof"
	"slices"
	"strings"
	"testing"
)

// TestRoutes watches servers with routers.
func TestRoutes(t *testing.T) {
	page := func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "\n<!DOCTYPE html><title>shop</title>") }
	stripped := []string{"growth", "memory", "peak", "refs", "goroutineleak"}
	for _, test := range []struct {
		name   string
		pages  []string
		answer http.HandlerFunc
		old    bool // an unchanged toolchain
		want   []string
	}{
		{"one by one", stripped, http.NotFound, false,
			[]string{"server, ", "\nnot seen: goroutineleak, growth, memory, peak, refs: 404 Not Found: 404 page not found: route /debug/pprof/* to pprof.Index\n"}},
		{"one by one, of an unchanged toolchain", stripped, http.NotFound, true,
			[]string{"server, ", "\nnot seen: goroutineleak, growth, memory, peak, refs: 404 Not Found: 404 page not found\n"}},
		{"some elsewhere", []string{"growth", "peak"}, pprof.Index, false,
			[]string{"\nnot seen: growth, peak: pprof.Index gave its list; it has profiles below /debug/pprof/ alone: use http.StripPrefix\n"}},
		{"all elsewhere", []string{"goroutine"}, pprof.Index, false, nil},
		{"a page", []string{"cmdline"}, page, false, []string{"(unknown program), "}},
	} {
		k := makeTake(t, sizes{})
		if test.old {
			k.files[numbered("goroutine", 0)] = encode(t, makeProfile("goroutine", nil, row{[]int64{1}, "main.wait", ""}))
		}
		s := &fakeServer{take: k}
		s.answer = func(w http.ResponseWriter, r *http.Request, page string, n int) bool {
			if !slices.Contains(test.pages, page) {
				return false
			}
			r.URL.Path = "/internal" + r.URL.Path
			test.answer(w, r)
			return true
		}
		if test.want == nil {
			wantError(t, "/debug/pprof/: pprof.Index gave its list; it has profiles below /debug/pprof/ alone: use http.StripPrefix", fake(t, s))
			continue
		}
		status, text, stderr := invoke("-seconds=0.01", fake(t, s))
		for _, want := range test.want {
			if status != 0 || !strings.Contains(text, want) {
				t.Errorf("%s: status %d, %s, not %q:\n%s", test.name, status, stderr, want, text)
			}
		}
	}
}
