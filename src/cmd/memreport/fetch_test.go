// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// A fakeServer answers as a take says: with its first files first.
type fakeServer struct {
	take   *take
	absent []string // pages that the toolchain does not have
	// answer answers a request for a page in place of the take, for the nth
	// time, and reports whether it has.
	answer func(w http.ResponseWriter, r *http.Request, page string, n int) bool
	dies   int // after so many requests, if not 0

	mu    sync.Mutex
	asked []string
	next  map[string]int
}

func (s *fakeServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	page, _ := strings.CutPrefix(r.URL.RequestURI(), "/debug/pprof/")
	s.asked = append(s.asked, page)
	if s.dies > 0 && len(s.asked) > s.dies {
		panic(http.ErrAbortHandler)
	}
	n := s.count(page)
	if s.answer != nil && s.answer(w, r, page, n) {
		return
	}
	if slices.Contains(s.absent, page) {
		w.Header().Set("X-Go-Pprof", "1")
		http.Error(w, "Unknown profile", http.StatusNotFound)
		return
	}
	switch page {
	case "cmdline":
		fmt.Fprint(w, "/bin/server\x00-flag")
	case "heap?debug=1":
		fmt.Fprintf(w, "heap profile\n\n# runtime.MemStats\n# HeapAlloc = %d\n", len(s.asked))
	case "peak", "goroutineleak":
		w.Write(s.take.files[page+".pb.gz"])
	default:
		name, _, _ := strings.Cut(page, "?")
		first := 0
		for first < 2 && s.take.files[numbered(name, first)] == nil {
			first++
		}
		w.Write(s.take.files[numbered(name, first+s.next[name])])
		s.next[name]++
	}
}

// count returns how often a page was asked for.
func (s *fakeServer) count(page string) (n int) {
	for _, p := range s.asked {
		if p == page {
			n++
		}
	}
	return n
}

func fake(t *testing.T, s *fakeServer) string {
	s.next = make(map[string]int)
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return server.URL
}

// TestOrder checks that nothing forces a collection before memory was seen, and
// how often references are recorded.
func TestOrder(t *testing.T) {
	s := &fakeServer{take: makeTake(t, sizes{leak: 8 * mb, mapStep: mb})}
	dir := t.TempDir()
	status, text, stderr := invoke("-seconds=0.01", "-o", dir, fake(t, s))
	if status != 0 {
		t.Fatal(stderr)
	}
	want := []string{"goroutine", "growth", "cmemory", "memory", "heap?debug=1", "peak", "cmdline", "refs", "heap"}
	for i := 1; i <= spaced; i++ {
		want = append(want, "goroutine", "growth")
		if i == collected[1] || i == collected[2] {
			want = append(want, "heap?gc=1")
		}
		want = append(want, "memory")
	}
	want = append(want, "refs", "goroutine", "growth", "memory", "inuse", "goroutineleak")
	if !slices.Equal(s.asked, want) {
		t.Errorf("asked %q\nwant %q", s.asked, want)
	}
	for name, data := range s.take.files {
		got, err := readTake(dir)
		if err != nil {
			t.Fatal(err)
		}
		if name != "heap.txt" && !bytes.Equal(got.files[name], data) {
			t.Errorf("the folder has another %s", name)
		}
	}
	if !strings.HasPrefix(text, "server, ") || !strings.Contains(text, "\n2. Mapped memory grows") {
		t.Errorf("the report is\n%s", text)
	}
}

// TestRecordings counts the recordings of references.
func TestRecordings(t *testing.T) {
	for _, test := range []struct {
		name  string
		sizes sizes
		flags []string
		inuse int
	}{
		{"at rest", sizes{}, nil, 0},
		{"without a path", sizes{mapStep: mb, goroutine: 12}, nil, 0},
		{"a path that grows", sizes{leak: 8 * mb}, nil, 1},
		{"a folder to compare with", sizes{}, []string{"-o", filepath.Join(t.TempDir(), "new")}, 1},
		{"compared", sizes{}, []string{"-base", storeTake(t, makeTake(t, sizes{}))}, 1},
	} {
		s := &fakeServer{take: makeTake(t, test.sizes)}
		if status, _, stderr := invoke(append(test.flags, "-seconds=0.01", fake(t, s))...); status != 0 {
			t.Fatal(stderr)
		}
		if s.count("refs") != 2 || s.count("inuse") != test.inuse || s.count("heapgraph") != 0 {
			t.Errorf("%s: %d requests for refs and %d for inuse, want 2 and %d", test.name, s.count("refs"), s.count("inuse"), test.inuse)
		}
	}
}

func TestUpstream(t *testing.T) {
	k := makeTake(t, sizes{})
	for i, n := range []int64{20 * mb, 30 * mb, 30 * mb, 40 * mb} {
		k.files[numbered("heap", i+1)] = encode(t, makeProfile("alloc_space inuse_space", nil, row{[]int64{mb, n}, "main.keep@/m/a.go", ""}))
	}
	s := &fakeServer{take: k, absent: []string{"memory", "growth", "peak", "refs", "inuse", "goroutineleak", "cmdline"}}
	status, text, stderr := invoke("-seconds=0.01", fake(t, s))
	if status != 0 {
		t.Fatal(stderr)
	}
	for _, want := range []string{"(unknown program), ", "\nnot seen: goroutineleak, growth, memory, peak, refs: 404 Not Found: Unknown profile\n",
		"\n1. The live heap grows by ", "\n   main.keep m/a.go:7\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("the report does not have %q:\n%s", want, text)
		}
	}
}

// TestServerDies checks that a report is made of what a server has answered, if
// that is more than two moments.
func TestServerDies(t *testing.T) {
	k := makeTake(t, sizes{mapStep: 4 * mb})
	wantError(t, "EOF", "-seconds=0.01", fake(t, &fakeServer{take: k, dies: 4}))
	for _, dies := range []int{19, 23} {
		dir := filepath.Join(t.TempDir(), "kept")
		status, text, stderr := invoke("-seconds=0.01", "-o", dir, fake(t, &fakeServer{take: k, dies: dies}))
		if status != 0 || !strings.Contains(stderr, "EOF: the report is of the ") {
			t.Errorf("after %d requests: status %d, %s", dies, status, stderr)
		}
		for _, want := range []string{"\nmost is held by ", "\nnot seen: the rest of the watch: ", "\n1. Mapped memory grows by "} {
			if !strings.Contains(text, want) {
				t.Errorf("after %d requests, the report does not have %q:\n%s", dies, want, text)
			}
		}
		if _, again, _ := invoke(dir); again != text {
			t.Errorf("after %d requests, the folder gives another report:\n%s\n%s", dies, text, again)
		}
	}
}

// TestPageFails has a page that fails for good, before the server dies.
func TestPageFails(t *testing.T) {
	for _, test := range []struct {
		page    string
		dies    int // at this request for goroutine
		moments int
		missing bool
	}{
		{"growth", 8, 7, true},
		{"cmemory", 8, 7, true},
		{"growth", 5, 3, false}, // the moment that lacks it is cut off
	} {
		s := &fakeServer{take: makeTake(t, sizes{mapStep: 4 * mb})}
		for i := range spaced + 2 {
			s.take.files[numbered("cmemory", i)] = encode(t, makeProfile("inuse_space", nil))
		}
		s.answer = func(w http.ResponseWriter, r *http.Request, page string, n int) bool {
			if page == "goroutine" && n >= test.dies {
				panic(http.ErrAbortHandler)
			}
			fails := page == test.page && n >= 4
			if fails {
				http.Error(w, "broken", 500)
			}
			return fails
		}
		dir := filepath.Join(t.TempDir(), "kept")
		status, text, stderr := invoke("-seconds=0.01", "-o", dir, fake(t, s))
		k, err := readTake(dir)
		if status != 0 || err != nil || len(k.Moments) != test.moments || (k.Missing[test.page] != "") != test.missing || !strings.Contains(text, restOfWatch) {
			t.Errorf("%s: status %d, %v, %s\n%s", test.page, status, err, stderr, text)
		}
	}
}

// TestSlowServer checks that rates are by the time that has passed.
func TestSlowServer(t *testing.T) {
	s := &fakeServer{take: makeTake(t, sizes{leak: 40 * mb, mapStep: 4 * mb})}
	s.answer = func(w http.ResponseWriter, r *http.Request, page string, n int) bool {
		time.Sleep(2 * time.Millisecond)
		return false
	}
	dir := filepath.Join(t.TempDir(), "kept")
	if status, _, stderr := invoke("-seconds=0.001", "-o", dir, fake(t, s)); status != 0 {
		t.Fatal(stderr)
	}
	k, err := readTake(dir)
	if err != nil {
		t.Fatal(err)
	}
	if real := k.Moments[spaced+1] - k.Moments[1]; k.Seconds != real {
		t.Errorf("%v s, want %v", k.Seconds, real)
	}
	between := func(a, b int) string { return formatTime(time.Duration((k.Moments[b] - k.Moments[a]) * 1e9)) }
	_, text, _ := invoke(dir)
	for _, want := range []string{"watched for " + between(1, spaced+1) + "\n", "\n   40 MB and 40,000 objects came in " + between(1, spaced+1) + ";",
		"\n   24 MB came in " + between(1, spaced) + ", now"} {
		if !strings.Contains(text, want) {
			t.Errorf("the report does not have %q:\n%s", want, text)
		}
	}
}

// TestConditionsOfPart has conditions of a server that ends in the watch.
func TestConditionsOfPart(t *testing.T) {
	for _, test := range []struct {
		condition string
		dies      int
		status    int
		text      string
	}{
		{"live>1GB", 0, 0, ""},
		{"live>1MB", 0, 1, "failed: live>1MB\n"},
		{"live>1GB", 23, 2, "-fail-if: the watch was not complete: http"},
		{"live>1MB", 23, 1, "failed: live>1MB\n"},
		{"", 23, 0, ""},
	} {
		s := &fakeServer{take: makeTake(t, sizes{}), dies: test.dies}
		status, text, stderr := invoke("-seconds=0.01", "-fail-if="+test.condition, fake(t, s))
		if status != test.status || !strings.Contains(stderr, test.text) || !strings.HasPrefix(text, "server, ") {
			t.Errorf("%q, after %d requests: status %d, want %d: %s", test.condition, test.dies, status, test.status, stderr)
		}
	}
}

// TestInterrupt interrupts watches.
func TestInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "plan9" {
		t.Skip("a process cannot interrupt itself")
	}
	for _, test := range []struct {
		page    string
		n       int
		moments int // in the report, or 0: none
	}{
		{"goroutine", 1, 0},
		{"goroutine", 3, 0},
		{"growth", 4, 3},
		{"memory", 6, 5},
		{"refs", 2, 8},
		{"memory", 9, 8},
		{"goroutineleak", 1, 9},
	} {
		s := &fakeServer{take: makeTake(t, sizes{})}
		s.answer = func(w http.ResponseWriter, r *http.Request, page string, n int) bool {
			if page != test.page || n != test.n {
				return false
			}
			self, err := os.FindProcess(os.Getpid())
			if err == nil {
				err = self.Signal(os.Interrupt)
			}
			if err != nil {
				t.Error(err)
				return false
			}
			<-r.Context().Done()
			return true
		}
		dir := filepath.Join(t.TempDir(), "kept")
		if test.moments == 0 {
			wantError(t, "interrupted", "-seconds=0.01", "-o", dir, fake(t, s))
			continue
		}
		status, text, stderr := invoke("-seconds=0.01", "-o", dir, fake(t, s))
		k, err := readTake(dir)
		if status != 0 || err != nil || len(k.Moments) != test.moments || !strings.Contains(text, "interrupted\n") || strings.Contains(text, "heap: ") {
			t.Errorf("%s %d: status %d, %s, %v\n%s", test.page, test.n, status, stderr, err, text)
		}
	}
}
