// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"internal/heapgraph"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWrongTool gives a fetcher sources of other tools.
func TestWrongTool(t *testing.T) {
	var b bytes.Buffer
	if err := heapgraph.NewWriter(&b).Close(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	graph, folder := filepath.Join(dir, "heap.graph"), filepath.Join(dir, "memreport.json")
	for name, data := range map[string]string{graph: b.String(), folder: "{}"} {
		if err := os.WriteFile(name, []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for source, want := range map[string]string{
		graph: "go tool heapgraph -http=: " + graph,
		dir:   "go tool memreport " + dir,
		"http://localhost:1/debug/pprof/heapgraph": "go tool heapgraph -http=: http://localhost:1/debug/pprof/heapgraph",
	} {
		if _, _, err := new(fetcher).Fetch(source, 0, 0); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %q", source, err, want)
		}
	}
	if p, _, err := new(fetcher).Fetch(filepath.Join(dir, "none"), 0, 0); p != nil || err != nil {
		t.Errorf("no file: %v", err)
	}
}
