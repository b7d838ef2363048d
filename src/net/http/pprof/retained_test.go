// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pprof

import (
	"internal/profile"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestRetainedHandler gets the profile.
func TestRetainedHandler(t *testing.T) {
	for _, url := range []string{"/debug/pprof/retained", "/debug/pprof/retained?debug=1&memory=1000000000"} {
		w := get(http.HandlerFunc(Index), url)
		if w.Code != http.StatusOK || w.Header().Get("Content-Disposition") != `attachment; filename="retained"` {
			t.Fatalf("%s: status %d, header %v: %s", url, w.Code, w.Header(), w.Body)
		}
		p, err := profile.Parse(w.Body)
		if err != nil {
			t.Fatal(err)
		}
		checkHeader(t, p, "retained")
		if len(p.Sample) == 0 {
			t.Errorf("%s: no samples", url)
		}
	}
}

// TestRetainedHandlerErrors checks the status and the text of errors.
func TestRetainedHandlerErrors(t *testing.T) {
	for _, test := range []struct {
		query, text string
		status      int
	}{
		{"memory=abc", `"memory"`, http.StatusBadRequest},
		{"memory=0", `"memory"`, http.StatusBadRequest},
		{"memory=-1", `"memory"`, http.StatusBadRequest},
		{"seconds=5", "heapgraph diff", http.StatusBadRequest},
		{"memory=1000", "go tool heapgraph", http.StatusInsufficientStorage},
	} {
		w := get(http.HandlerFunc(Retained), "/debug/pprof/retained?"+test.query)
		if w.Code != test.status || !strings.Contains(w.Body.String(), test.text) {
			t.Errorf("%s: status %d: %s", test.query, w.Code, w.Body)
		}
		if w.Header().Get("X-Go-Pprof") == "" || w.Header().Get("Content-Disposition") != "" {
			t.Errorf("%s: header %v", test.query, w.Header())
		}
	}
}

// TestRetainedHandlerBusy checks the status while a heap graph is being sent.
func TestRetainedHandlerBusy(t *testing.T) {
	sent, sender := io.Pipe()
	ended := make(chan bool)
	go func() {
		defer close(ended)
		defer func() { recover() }()
		HeapGraph(pipedResponse{httptest.NewRecorder(), sender}, httptest.NewRequest("GET", "/debug/pprof/heapgraph", nil))
	}()
	if _, err := sent.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if w := get(http.HandlerFunc(Retained), "/debug/pprof/retained"); w.Code != http.StatusServiceUnavailable {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
	sent.Close()
	<-ended
}
