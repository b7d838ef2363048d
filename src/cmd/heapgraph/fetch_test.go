// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"
)

func TestSourceURL(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("host:1", nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for arg, want := range map[string]string{
		"heap.graph":                   "",
		"./dir/heap.graph":             "",
		"host:1":                       "", // a file
		"C:":                           "",
		"ftp://host/x":                 "",
		"host:2":                       "http://host:2/debug/pprof/heapgraph",
		"http://host":                  "http://host/debug/pprof/heapgraph",
		"https://host/":                "https://host/debug/pprof/heapgraph",
		"http://host:6060/x?labels=1":  "http://host:6060/x?labels=1",
		"host:6060/debug/x":            "http://host:6060/debug/x",
		"http://host:6060?labels=true": "http://host:6060/debug/pprof/heapgraph?labels=true",
	} {
		if got := sourceURL(arg); got != want {
			t.Errorf("sourceURL(%q) = %q, want %q", arg, got, want)
		}
	}
}

func TestFetch(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir)
	file := (&server{sessions: 3}).encode(t)
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case handlerPath:
			w.Write(file)
		case "/short":
			w.Write(file[:len(file)-1])
		case "/broken":
			w.Header().Set("Content-Length", "1000000")
			w.Write(file)
		case "/busy":
			http.Error(w, "another heap graph is being written", http.StatusServiceUnavailable)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer ts.Close()
	for _, test := range []struct {
		path   string
		status int
		want   string // in standard error
		files  int    // number of files that are kept
	}{
		{"", 0, "heapgraph: the snapshot is in " + dir, 1},
		{"/short", 1, ": file is incomplete: it has no END\n", 1},
		{"/broken", 1, "heapgraph: " + ts.URL + "/broken: unexpected EOF\n", 0},
		{"/busy", 1, "heapgraph: " + ts.URL + "/busy: 503 Service Unavailable: another heap graph is being written\n", 0},
		{"/none", 1, "heapgraph: " + ts.URL + "/none: 404 Not Found\n", 0},
	} {
		status, stdout, stderr := start("top", "-bytes", ts.URL+test.path)
		if status != test.status || !strings.Contains(stderr, test.want) || !strings.HasPrefix(stderr, "heapgraph: fetching "+ts.URL) {
			t.Errorf("%s: status %d\n%s", test.path, status, stderr)
		}
		if status == 0 {
			checkLines(t, stdout, "3264 9.0% 6 192 0.5% 3 app.Session")
		}
		if n := len(clear(t, dir)); n != test.files {
			t.Errorf("%s: %d files are left, want %d", test.path, n, test.files)
		}
	}
}

// clear removes the files of a directory and returns their names.
func clear(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
		if err := os.Remove(dir + "/" + e.Name()); err != nil {
			t.Fatal(err)
		}
	}
	return names
}

func TestMeter(t *testing.T) {
	var b bytes.Buffer
	m := &meter{p: &progress{w: &b, terminal: true}, next: time.Now().Add(-time.Hour)}
	m.Write(make([]byte, 3<<10))
	m.Write(make([]byte, 3<<10)) // too soon
	m.next = time.Now().Add(-time.Hour)
	m.Write(make([]byte, 2<<20))
	m.end()
	if got := b.String(); got != "\rheapgraph: received 3.00kB\rheapgraph: received 2.01MB\n" {
		t.Errorf("printed %q", got)
	}
}

func TestProgress(t *testing.T) {
	var b bytes.Buffer
	(&progress{w: &b}).begin("waiting")()
	if b.Len() != 0 {
		t.Errorf("printed %q", b.String())
	}
	(&progress{w: &b, verbose: true}).begin("waiting")()
	if got := b.String(); !strings.HasPrefix(got, "heapgraph: waiting took ") {
		t.Errorf("printed %q", got)
	}
}
