// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build unix

package browser

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/pprof"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// A sessions is a handler that keeps a session for each request.
type sessions struct {
	mu   sync.Mutex
	byID map[string]*session
}

type session struct {
	id   string
	body []byte
}

// leakType is the type of the map that grows.
const leakType = "map[string]*browser.session"

func (s *sessions) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := r.FormValue("id")
	s.byID[id] = &session{id, make([]byte, 4096)}
}

// takeSnapshots takes two snapshots of a server that leaks, and returns the
// names of their files.
func takeSnapshots(t *testing.T) (newName, oldName string) {
	mux := http.NewServeMux()
	mux.Handle("/sessions", &sessions{byID: make(map[string]*session)})
	mux.HandleFunc("/debug/pprof/heapgraph", pprof.HeapGraph)
	server := httptest.NewServer(mux)
	defer server.Close()
	get := func(path string) []byte {
		resp, err := server.Client().Get(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatal(resp.Status, err)
		}
		return b
	}
	var names []string
	for i := range 2 {
		for j := range 3000 {
			get(fmt.Sprintf("/sessions?id=%d-%d", i, j))
		}
		name := filepath.Join(t.TempDir(), "heap.graph")
		if err := os.WriteFile(name, get("/debug/pprof/heapgraph"), 0o666); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	return names[1], names[0]
}
