// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"internal/heapgraph"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
)

// deep returns a snapshot of a list of n objects. Each has a type of its own,
// and a node below the one before. All names end with the given text.
func deep(t testing.TB, n int, name string) []byte {
	t.Helper()
	var b bytes.Buffer
	s, root, _, _ := newList(&b)
	const slots = 1000 // of a span
	var spans []func(int) uint64
	for range (n + slots - 1) / slots {
		spans = append(spans, s.span(slots, 16))
	}
	objects := func(i int) uint64 { return spans[i/slots](i % slots) }
	var refs, claims []heapgraph.Pair
	for i := range n {
		root = s.node(root, 0, "e"+strconv.Itoa(i)+name, "app.T"+strconv.Itoa(i)+name, 0)
		claims = append(claims, heapgraph.Pair{Addr: objects(i), Value: root})
		if i > 0 {
			refs = append(refs, heapgraph.Pair{Addr: objects(i - 1), Value: objects(i)})
		}
	}
	s.w.Refs(refs)
	s.w.Claims(claims)
	s.w.RootRef(heapgraph.RootRef{Node: 1, Target: objects(0)})
	if err := s.w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestHostileOutput checks that output does not have the square of the depth of
// a snapshot.
func TestHostileOutput(t *testing.T) {
	const n = 20_000
	name, old := writeTemp(t, deep(t, n, "")), writeTemp(t, list(t, 3))
	for _, test := range []struct {
		args  []string
		most  int // bytes of a line
		lines int
	}{
		{[]string{"tree", "-depth=0", "-share=0", name}, 300, n},
		{[]string{"top", "-n=0", "-by=path", name}, 5000, n},
		{[]string{"diff", "-n=0", old, name}, 6000, 2 * n},
		{[]string{"object", "-n=0", name, "app.T9"}, 1 << 17, 8},
		{[]string{"why", name, "app.T" + strconv.Itoa(n-1)}, 1 << 17, 8},
	} {
		out := output(t, test.args...)
		if lines := strings.Count(out, "\n"); lines < test.lines || len(out) > test.most*lines {
			t.Errorf("%v: %d bytes in %d lines", test.args[0], len(out), lines)
		}
	}
}

// TestHostilePages checks that no page is large, whatever the names and the
// parameters are.
func TestHostilePages(t *testing.T) {
	h := loadTestSite(t, writeTemp(t, deep(t, 3000, strings.Repeat("<", 10_000))), writeTemp(t, list(t, 3)))
	long := strings.Repeat("a", 750_000)
	for _, url := range []string{
		"/", "/flame", "/flame?node=2900", "/tree", "/tree?node=2900", "/tree/rows?level=1000000&node=5", "/types", "/types?by=path", "/types?by=package",
		"/diff", "/diff?by=path", "/vertices?node=5", "/object?root=1", "/references?way=out&root=1", "/search?q=e",
		"/flame?q=" + strings.Repeat("b", maxQuery),
		"/flame?q=" + long, "/types?q=" + long, "/diff?q=" + long, "/search?q=" + long, "/vertices?name=" + long, "/object?address=" + long, "/types?x=" + long,
	} {
		before := allocated()
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", "http://localhost"+url, nil))
		size, refused := w.Body.Len(), w.Code == http.StatusRequestURITooLong
		if size > 12<<20 || strings.Contains(url, long) != refused || refused && size > 1000 {
			t.Errorf("%.40s: status %d, %d bytes", url, w.Code, size)
		}
		if n := (allocated() - before) >> 20; n > 300 {
			t.Errorf("%.40s: %d MB were allocated", url, n)
		}
	}
	if p := getPage(t, h, "/flame?q="+strings.Repeat("a", maxQuery+1)); p.status != http.StatusBadRequest {
		t.Errorf("a long query: status %d", p.status)
	}
}

// TestOutputDash checks that -o - stands for standard output.
func TestOutputDash(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, format := range []string{"pprof", "heapsnapshot"} {
		name := writeTemp(t, list(t, 3))
		if out := output(t, "export", "-o", "-", format, name); out == "" || out != output(t, "export", format, name) {
			t.Errorf("%s: %d bytes", format, len(out))
		}
	}
	if status, _, _ := start("core", "-o", "-", "no", "file"); status != 1 {
		t.Errorf("core: status %d", status)
	}
	if list, err := os.ReadDir("."); err != nil || len(list) != 0 {
		t.Errorf("there are files: %v, %v", list, err)
	}
}

// TestMemoryFlag checks that the error of a snapshot that needs much memory
// names the flag.
func TestMemoryFlag(t *testing.T) {
	name := writeTemp(t, deep(t, 50_000, ""))
	status, _, stderr := start("top", "-memory=1", name)
	if status != 1 || !strings.Contains(stderr, "the snapshot needs more memory than it may take: 1 MB: if you trust the file, set another limit with -memory=MB") {
		t.Errorf("status %d, %s", status, stderr)
	}
	if status := run([]string{"top", "-memory=100", name}, io.Discard, io.Discard); status != 0 {
		t.Errorf("status %d", status)
	}
}
