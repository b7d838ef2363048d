// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// TestGaps watches servers that are busy for a while.
func TestGaps(t *testing.T) {
	all := []string{"goroutines-growth", "live-growth", "mapped-growth"}
	within := func(from, to int) func(int) bool { return func(n int) bool { return n >= from && n <= to } }
	for _, test := range []struct {
		name string
		page string
		busy func(n int) bool // at the nth request for page
		code int
		gaps int
		cut  bool
		want []string
	}{
		{"never", "memory", within(1, 0), 503, 0, false, all},
		{"once", "goroutine", within(5, 5), 502, 0, false, all},
		{"once at the last moment", "goroutine", within(9, 9), 504, 0, false, all},
		{"once before the watch", "memory", within(1, 1), 503, 0, false, all},
		{"twice", "memory", within(4, 5), 503, 1, false, all},
		{"twice", "memory", within(5, 6), 504, 1, false, all},
		{"twice", "growth", within(5, 6), 502, 1, false, all},
		{"twice", "goroutine", within(5, 6), 502, 1, false, all},
		{"twice, and twice again", "memory", func(n int) bool { return slices.Contains([]int{4, 5, 7, 8}, n) }, 503, 2, false, all},
		{"at two moments", "goroutine", within(6, 9), 503, 1, true, []string{"goroutines-growth", "mapped-growth"}},
		{"at two moments", "growth", within(6, 9), 503, 1, false, []string{"class-growth", "goroutines-growth", "live-growth"}},
		{"for good", "goroutine", within(6, 99), 500, 0, true, []string{"goroutines-growth", "mapped-growth"}},
	} {
		s := &fakeServer{take: makeTake(t, sizes{leak: 40 * mb, mapStep: 4 * mb, waitStep: 20})}
		s.answer = func(w http.ResponseWriter, r *http.Request, page string, n int) bool {
			if page != test.page || !test.busy(n) {
				return false
			}
			http.Error(w, "busy", test.code)
			return true
		}
		dir := t.TempDir()
		status, text, stderr := invoke("-seconds=0.01", "-o", dir, fake(t, s))
		if status != 0 {
			t.Errorf("%s: %s: %s", test.page, test.name, stderr)
			continue
		}
		k, err := readTake(dir)
		if err != nil {
			t.Fatal(err)
		}
		var kinds []string
		for _, x := range find(newFacts(k)) {
			kinds = append(kinds, x.Kind)
		}
		if slices.Sort(kinds); !slices.Equal(kinds, test.want) {
			t.Errorf("%s: %s: findings %q, want %q:\n%s", test.page, test.name, kinds, test.want, text)
		}
		if n := strings.Count(text, test.page+" at "); n != test.gaps || strings.Contains(text, "the rest of the watch") != test.cut {
			t.Errorf("%s: %s: %d gaps, want %d:\n%s", test.page, test.name, n, test.gaps, text)
		}
	}
}

func TestBusy(t *testing.T) {
	for _, test := range []struct {
		err  error
		want bool
	}{
		{nil, false},
		{io.EOF, false},
		{&statusError{code: 404}, false},
		{&statusError{code: 500}, false},
		{fmt.Errorf("memory: %w", &statusError{code: 503}), true},
		{(&fetcher{ctx: t.Context(), timeout: 1}).plain(&url.Error{Err: context.DeadlineExceeded}), true},
	} {
		if got := isBusy(test.err); got != test.want {
			t.Errorf("%v: %v", test.err, got)
		}
	}
}

// TestFillGaps compares facts with and without gaps.
func TestFillGaps(t *testing.T) {
	k := makeTake(t, sizes{leak: 8 * mb, mapStep: mb, waitStep: 6})
	want := newFacts(k)
	for _, name := range []string{"memory.3.pb.gz", "growth.5.pb.gz", "goroutine.2.pb.gz"} {
		delete(k.files, name)
	}
	got := newFacts(k)
	if g, w := got.Moments[3], want.Moments[3]; g.Live != w.Live || g.Classes[resident] != w.Classes[resident] || g.Classes["files"] != w.Classes["files"] {
		t.Errorf("memory %+v, want %+v", g, w)
	}
	if g, w := got.Mapped[0].Mapped, want.Mapped[0].Mapped; !slices.Equal(g, w) {
		t.Errorf("mapped %v, want %v", g, w)
	}
	if g, w := got.Places[0].Counts, want.Places[0].Counts; !slices.Equal(g, w) {
		t.Errorf("goroutines %v, want %v", g, w)
	}
	delete(k.files, "growth.6.pb.gz")
	if got := newFacts(k).Mapped; got != nil {
		t.Errorf("two gaps in a row: %v", got)
	}
}

// TestFillStats has gaps of an unchanged toolchain.
func TestFillStats(t *testing.T) {
	k := upstreamTake(t)
	want := newFacts(k)
	for _, name := range []string{heapText(4), heapText(6), "goroutine.6.pb.gz"} {
		delete(k.files, name)
	}
	got := newFacts(k)
	for _, i := range []int{4, 6} {
		if g, w := got.Moments[i], want.Moments[i]; g.Live != w.Live || !maps.Equal(g.Classes, w.Classes) {
			t.Errorf("moment %d: %+v, want %+v", i, g, w)
		}
	}
	if g, w := fmt.Sprint(find(got)), fmt.Sprint(find(want)); g != w {
		t.Errorf("findings %s, want %s", g, w)
	}
}

// TestHeapIsBusy watches a server of an unchanged toolchain.
func TestHeapIsBusy(t *testing.T) {
	s := &fakeServer{take: upstreamTake(t), absent: []string{"memory", "growth", "peak", "refs", "inuse", "goroutineleak"}}
	s.answer = func(w http.ResponseWriter, r *http.Request, page string, n int) bool {
		busy := page == heapStats && (n == 6 || n == 7) // asked for again, once
		if busy {
			http.Error(w, "busy", 503)
		}
		return busy
	}
	status, text, stderr := invoke("-seconds=0.01", fake(t, s))
	if status != 0 || strings.Count(text, "heap at ") != 1 {
		t.Errorf("status %d, %s\n%s", status, stderr, text)
	}
}

// TestNoCoreFile has a moment of a watch for which no size is known: that of the
// last recording is of another one.
func TestNoCoreFile(t *testing.T) {
	k := makeTake(t, sizes{})
	delete(k.files, "memory.3.pb.gz")
	delete(k.files, "memory.4.pb.gz")
	if n, ok := newFacts(k).Moments[4].Classes[live]; ok {
		t.Errorf("%d bytes live", n)
	}
}
