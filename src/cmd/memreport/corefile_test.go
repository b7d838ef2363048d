// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// get fetches a page of a server.
func get(t *testing.T, address, page string) []byte {
	t.Helper()
	answer, err := http.Get("http://" + address + pprofPath + page)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", page, answer.Status, err)
	}
	return body
}

// below returns the element of the names below e, or nil.
func below(e *element, names ...string) *element {
	for _, name := range names {
		var next *element
		for _, c := range e.Children {
			if c.Name == name {
				next = c
			}
		}
		if e = next; e == nil {
			return nil
		}
	}
	return e
}

// checkSessions checks the live heap of a server in mode leak that has 3*128
// sessions, which hold pages of 16 kB, and 3*5 goroutines for ever.
func checkSessions(t *testing.T, f *facts) {
	t.Helper()
	pages := below(f.Refs, "main.sessions", "map[int]*main.session[value]", "main.session.page []uint8")
	if pages == nil || pages.Bytes != 3*128*16<<10 || pages.Objects != 3*128 {
		t.Errorf("pages %+v", pages)
	}
	for _, root := range f.Refs.Children {
		if root.isExplanation() && root.Bytes > mb {
			t.Errorf("root %+v", root)
		}
	}
	if main := below(f.Refs, stackRoot, mainStart); main == nil || main.Bytes == 0 {
		t.Errorf("the main goroutine has %+v", main)
	}
	waiting := int64(0)
	for _, p := range f.Places {
		if strings.HasPrefix(p.Start, "main.forget.func") {
			waiting += p.Counts[0]
		}
	}
	if waiting != 3*5 || f.goroutines() < waiting {
		t.Errorf("%d goroutines, %d of them wait", f.goroutines(), waiting)
	}
	if f.size(live) != f.Refs.Bytes || len(f.Missing) == 0 {
		t.Errorf("live %d of %d, missing %q", f.size(live), f.Refs.Bytes, f.Missing)
	}
}

// leakThrice makes a server leak three times.
func leakThrice(t *testing.T, address string) {
	for range 3 {
		get(t, address, "growth")
	}
}

// TestGraph reads the heap graph of a process.
func TestGraph(t *testing.T) {
	address := startServer(t, buildServer(t), "leak")
	leakThrice(t, address)
	name := filepath.Join(t.TempDir(), graphName)
	if err := os.WriteFile(name, get(t, address, "heapgraph"), 0o666); err != nil {
		t.Fatal(err)
	}
	k, err := readGraph(name)
	if err != nil {
		t.Fatal(err)
	}
	checkSessions(t, newFacts(k))
}
