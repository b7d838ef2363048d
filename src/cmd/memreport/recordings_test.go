// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// makeGrowingTake returns a take of a leak that refs and heap have.
func makeGrowingTake(t *testing.T) *take {
	k := makeTake(t, sizes{leak: 40 * mb})
	for i, n := range []int64{20 * mb, 30 * mb, 40 * mb, 60 * mb} {
		k.files[numbered("heap", i+1)] = encode(t, makeProfile("inuse_space", nil, row{[]int64{n}, "main.keep@/m/a.go", ""}))
	}
	return k
}

const nearLimit = "refused, because 91 bytes of memory are in use, and the profile needs more: add force=1 to take it anyway"

// TestRefused watches servers that refuse recordings near the limit of memory.
func TestRefused(t *testing.T) {
	const stack, path = "main.keep m/a.go:7", "main.items > map[int]*main.item[value]"
	for _, test := range []struct {
		name    string
		flags   []string
		refused func(n int) bool // the nth request for refs
		place   string
		asked   []string // refs, heap
	}{
		{"none", nil, func(n int) bool { return false }, path, []string{"refs", "heap", "heap?gc=1", "heap?gc=1", "refs"}},
		{"all", nil, func(n int) bool { return true }, stack, []string{"refs", "refs", "heap?gc=1", "heap?gc=1", "heap?gc=1", "heap?gc=1"}},
		{"the first request", nil, func(n int) bool { return n == 1 }, path, []string{"refs", "refs", "heap", "heap?gc=1", "heap?gc=1", "refs"}},
		{"the last", nil, func(n int) bool { return n == 2 }, path, []string{"refs", "heap", "heap?gc=1", "heap?gc=1", "refs", "refs"}},
		{"the last two", nil, func(n int) bool { return n > 1 }, stack, []string{"refs", "heap", "heap?gc=1", "heap?gc=1", "refs", "refs", "heap?gc=1"}},
		{"forced", []string{"-force"}, func(n int) bool { return true }, path,
			[]string{"refs?force=1", "heap?force=1", "heap?gc=1&force=1", "heap?gc=1&force=1", "refs?force=1"}},
	} {
		s := &fakeServer{take: makeGrowingTake(t)}
		s.answer = func(w http.ResponseWriter, r *http.Request, page string, n int) bool {
			if page != "refs" || !test.refused(n) {
				return false
			}
			http.Error(w, nearLimit, http.StatusServiceUnavailable)
			return true
		}
		status, text, stderr := invoke(append(test.flags, "-seconds=0.01", fake(t, s))...)
		if status != 0 || !strings.Contains(text, "1. The live heap grows") || !strings.Contains(text, "\n   "+test.place+"\n") {
			t.Errorf("%s: status %d, %s, not the place %s:\n%s", test.name, status, stderr, test.place, text)
		}
		missing := strings.Contains(text, "not seen: refs: 503 ") && strings.Contains(text, "add -force to take it anyway\n")
		if missing != (test.place == stack) {
			t.Errorf("%s: the report does not say whether refs is missing:\n%s", test.name, text)
		}
		asked := slices.DeleteFunc(s.asked, func(page string) bool {
			return !strings.HasPrefix(page, "refs") && !strings.HasPrefix(page, "heap") || strings.Contains(page, "debug=1")
		})
		if !slices.Equal(asked, test.asked) {
			t.Errorf("%s: asked %q, want %q", test.name, asked, test.asked)
		}
	}
}

// TestRepeated watches servers that answer with the recording of another time.
func TestRepeated(t *testing.T) {
	const stack, path = "main.keep m/a.go:7", "main.items > map[int]*main.item[value]"
	second := int64(time.Second)
	for _, test := range []struct {
		name  string
		last  int      // the recording with which the server answers the last request for refs
		times [4]int64 // seconds: of goroutine before, refs.1, goroutine after the watch, refs.2
		place string
		text  string
		heap  []string
	}{
		{"new ones", 2, [4]int64{100, 101, 130, 131}, path, "40 MB and 40,000 objects came in 30 s;", []string{"heap"}},
		{"the first is old", 2, [4]int64{100, 1, 130, 131}, path, "40 MB and 40,000 objects came in 2 min 10 s;", []string{"heap?gc=1"}},
		{"both are old", 2, [4]int64{100, 1, 130, 101}, path, "40 MB and 40,000 objects came in 1 min 40 s;", []string{"heap?gc=1", "heap?gc=1"}},
		{"the same", 1, [4]int64{100, 101, 130, 101}, stack, "not seen: refs: the server repeats recordings: watch for longer than the interval of its GODEBUG=pprofrecording\n", []string{"heap", "heap?gc=1"}},
		{"the same, and old", 1, [4]int64{100, 1, 130, 1}, stack, "not seen: refs: the server repeats recordings: watch for longer than the interval of its GODEBUG=pprofrecording\n", []string{"heap?gc=1", "heap?gc=1"}},
	} {
		s := &fakeServer{take: makeGrowingTake(t)}
		k := s.take
		setTime := func(file string, seconds int64) {
			p := k.profile(file)
			p.TimeNanos = seconds * second
			k.files[file] = encode(t, p)
		}
		for i, file := range []string{numbered("goroutine", 0), "refs.1.pb.gz", numbered("goroutine", spaced), "refs.2.pb.gz"} {
			setTime(file, test.times[i])
		}
		last := k.files[numbered("refs", test.last)]
		s.answer = func(w http.ResponseWriter, r *http.Request, page string, n int) bool {
			if page != "refs" || n != 2 {
				return false
			}
			w.Write(last)
			return true
		}
		status, text, stderr := invoke("-seconds=0.01", fake(t, s))
		if status != 0 || !strings.Contains(text, "\n   "+test.place+"\n") || !strings.Contains(text, test.text) {
			t.Errorf("%s: status %d, %s, not %q:\n%s", test.name, status, stderr, test.text, text)
		}
		// Without those in the watch.
		asked := slices.DeleteFunc(s.asked, func(page string) bool { return !strings.HasPrefix(page, "heap") || strings.Contains(page, "debug=1") })
		if asked = slices.Delete(asked, 1, 3); !slices.Equal(asked, test.heap) {
			t.Errorf("%s: asked %q, want %q", test.name, asked, test.heap)
		}
	}
}

// TestCollectionRefused watches a server that does not collect when asked.
func TestCollectionRefused(t *testing.T) {
	for n, want := range map[int]bool{1: true, 2: true, 3: false} {
		s := &fakeServer{take: makeGrowingTake(t)}
		s.answer = func(w http.ResponseWriter, r *http.Request, page string, i int) bool {
			if page != "heap?gc=1" || i != n {
				return false
			}
			http.Error(w, "no", http.StatusForbidden)
			return true
		}
		_, text, _ := invoke("-seconds=0.01", fake(t, s))
		if strings.Contains(text, "\nnot seen: a collection in the watch: 403 Forbidden: no\n") != want {
			t.Errorf("%d:\n%s", n, text)
		}
	}
}
