// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build unix

package browser

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// takeReport returns a folder of go tool memreport about this process, with a
// heap graph.
func takeReport(t *testing.T) string {
	graph, _ := takeSnapshots(t)
	server := httptest.NewServer(http.DefaultServeMux) // which net/http/pprof has added its pages to
	defer server.Close()
	dir := filepath.Join(t.TempDir(), "report")
	if out, err := exec.Command("go", "tool", "memreport", "-seconds=1", "-o="+dir, server.URL).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := os.Rename(graph, filepath.Join(dir, "heap.graph")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestReport clicks through a report, to the pages of its heap graph and back.
func TestReport(t *testing.T) {
	ctx := startBrowser(t)
	dir := *report
	if dir == "" {
		dir = takeReport(t)
	}
	site := serveTool(t, "memreport", dir)
	b := openTab(t, ctx, site, width)
	b.open("/")
	first := b.heading()
	if b.count(".stacked") != 3 || b.count(".classes tbody tr") < 8 || b.count("#held .flame a") < 2 {
		t.Errorf("%d bars, %d classes, %d boxes", b.count(".stacked"), b.count(".classes tbody tr"), b.count("#held .flame a"))
	}
	b.picture("report", 1000)
	b.click("#held .flame a:nth-of-type(2)")
	if path := b.location(); !strings.HasPrefix(path, "/?held=") || b.count("#held .flame .above") != 1 {
		t.Errorf("a box leads to %s", path)
	}
	if *report == "" {
		for _, path := range []string{"/suspects", "/flame", "/tree", "/types", "/retained"} {
			b.click(`nav a[href="` + path + `"]`)
		}
		b.click(`nav a[href="/"]`)
		if h := b.heading(); h != first {
			t.Errorf("the link to the report leads to %q", h)
		}
	}
	b = openTab(t, ctx, site, 400)
	b.open("/")
}
