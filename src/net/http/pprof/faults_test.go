// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pprof

import (
	"bytes"
	"context"
	"internal/profile"
	"net/http"
	"net/http/httptest"
	"runtime/pprof"
	"strings"
	"testing"
)

// getFaults requests the page fault profile with the context ctx and returns
// the response. It skips the test if the system has no such profile.
func getFaults(t *testing.T, ctx context.Context, url string) *httptest.ResponseRecorder {
	t.Helper()
	if err := pprof.StartPageFaultProfile(new(bytes.Buffer)); err != nil {
		checkFaultsError(t, err.Error())
		t.Skip(err)
	}
	pprof.StopPageFaultProfile()
	w := httptest.NewRecorder()
	http.DefaultServeMux.ServeHTTP(w, httptest.NewRequestWithContext(ctx, "GET", "http://example.com"+url, nil))
	return w
}

// checkFaultsError checks that the page fails with an error that contains want.
func checkFaultsError(t *testing.T, want string) {
	t.Helper()
	w := get(http.HandlerFunc(Faults), "/debug/pprof/faults?seconds=1")
	if w.Code != http.StatusInternalServerError || !strings.Contains(w.Body.String(), want) {
		t.Errorf("status %d: %s, want an error with %s", w.Code, w.Body, want)
	}
	if got := w.Header().Get("Content-Type"); got != "text/plain; charset=utf-8" {
		t.Errorf("content type %s", got)
	}
}

func TestFaultsHandler(t *testing.T) {
	w := getFaults(t, t.Context(), "/debug/pprof/faults?seconds=1")
	if w.Code != http.StatusOK || w.Header().Get("Content-Disposition") != `attachment; filename="faults"` {
		t.Errorf("status %d, header %v", w.Code, w.Header())
	}
	p, err := profile.Parse(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.SampleType) != 1 || p.SampleType[0].Type != "faults" || len(p.Comments) == 0 || p.DurationNanos <= 0 {
		t.Errorf("profile is\n%v", p)
	}
}

// TestFaultsHandlerCanceled checks that the profile ends when the client goes
// away.
func TestFaultsHandlerCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := getFaults(t, ctx, "/debug/pprof/faults") // ends at once, not after 30 seconds
	if _, err := profile.Parse(w.Body); err != nil {
		t.Error(err)
	}
}

func TestFaultsHandlerBusy(t *testing.T) {
	if err := pprof.StartPageFaultProfile(new(bytes.Buffer)); err != nil {
		t.Skip(err)
	}
	defer pprof.StopPageFaultProfile()
	checkFaultsError(t, "Could not enable page fault profiling: page fault profiling already in use")
}

func TestFaultsListed(t *testing.T) {
	w := get(http.HandlerFunc(Index), "/debug/pprof/")
	if page := w.Body.String(); !strings.Contains(page, "<a href='faults?debug=1'>faults</a>") {
		t.Errorf("the page has no link to faults:\n%s", page)
	}
}

// TestBadSeconds requests profiles with durations that are not valid: all
// profiles that take the parameter seconds and that upstream does not have, and
// heap.
func TestBadSeconds(t *testing.T) {
	for _, name := range []string{"faults", "growth", "heap", "inuse", "memory", "refs"} {
		for _, seconds := range []string{"abc", "0", "-1", "1.5", "9223372037", "999999999999999999", "99999999999999999999"} {
			w := get(http.HandlerFunc(Index), "/debug/pprof/"+name+"?seconds="+seconds)
			if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), `invalid value for "seconds"`) {
				t.Errorf("%s, seconds=%s: status %d: %.200q", name, seconds, w.Code, w.Body)
			}
			if got := w.Header().Get("Content-Type"); got != "text/plain; charset=utf-8" {
				t.Errorf("%s, seconds=%s: content type %s", name, seconds, got)
			}
		}
	}
}
