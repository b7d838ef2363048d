// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package limit

import (
	"io"
	"net/http"
	"net/http/httptest"
	"runtime/memscope"
	"strings"
	"testing"
)

// grow allocates until its scope has crossed a limit.
func grow() {
	var all [][]byte
	for memscope.Err() == nil {
		all = append(all, make([]byte, 10_000))
	}
}

func TestHandler(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/small", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "small") })
	mux.HandleFunc("/grow", func(w http.ResponseWriter, r *http.Request) { grow() })
	mux.HandleFunc("/late", func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, strings.Repeat("x", 1<<16))
		grow()
	})
	mux.HandleFunc("/flushed", func(w http.ResponseWriter, r *http.Request) {
		http.NewResponseController(w).Flush()
		grow()
	})
	mux.HandleFunc("/context", func(w http.ResponseWriter, r *http.Request) {
		var all [][]byte
		for r.Context().Err() == nil {
			all = append(all, make([]byte, 100))
		}
	})
	server := httptest.NewServer(Handler(mux, memscope.Limits{Name: "test", Bytes: 4 << 20}))
	defer server.Close()
	for _, test := range []struct {
		path   string
		status int
		whole  bool
	}{
		{"/small", http.StatusOK, true},
		{"/grow", http.StatusServiceUnavailable, true},
		{"/late", http.StatusOK, false},
		{"/flushed", http.StatusOK, false},
		{"/context", http.StatusServiceUnavailable, true},
		{"/none", http.StatusNotFound, true},
	} {
		for range 10 {
			r, err := http.Get(server.URL + test.path)
			if err != nil {
				t.Fatal(err)
			}
			_, err = io.ReadAll(r.Body)
			r.Body.Close()
			if r.StatusCode != test.status || (err == nil) != test.whole {
				t.Errorf("%s answers %d, %v", test.path, r.StatusCode, err)
			}
		}
	}
}
