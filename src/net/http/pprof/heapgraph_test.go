// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pprof

import (
	"bytes"
	graphs "debug/heapgraph"
	"internal/heapgraph"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestHeapGraphHandler(t *testing.T) {
	for _, url := range []string{"/debug/pprof/heapgraph", "/debug/pprof/heapgraph?labels=1&memory=100000000"} {
		w := get(http.HandlerFunc(Index), url)
		if w.Code != http.StatusOK || w.Header().Get("Content-Disposition") != `attachment; filename="heapgraph"` {
			t.Errorf("%s: status %d, header %v", url, w.Code, w.Header())
		}
		f, err := heapgraph.Open(bytes.NewReader(w.Body.Bytes()), int64(w.Body.Len()))
		if err != nil {
			t.Fatal(err)
		}
		if f.Counts[heapgraph.KindClaims] == 0 {
			t.Errorf("%s: no objects", url)
		}
	}
}

// TestHeapGraphThisRequest checks that the goroutines that serve a request for a
// snapshot and write it are one root, whose objects have no path of their own.
func TestHeapGraphThisRequest(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(Index))
	defer server.Close()
	resp, err := http.Get(server.URL + "/debug/pprof/heapgraph")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	f, err := graphs.NewFile(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		t.Fatal(err)
	}
	g, err := f.Graph(nil)
	if err != nil {
		t.Fatal(err)
	}
	roots := make(map[string]int)
	from, to := g.Roots()
	for v := from; v < to; v++ {
		if !g.SecondClass(v) {
			roots[g.Name(v)]++
		}
		if f := g.Name(v); strings.HasPrefix(f, "goroutine runtime/pprof.") || strings.HasPrefix(f, "goroutine net/http/pprof.") {
			t.Errorf("there is a root %s", f)
		}
	}
	if n := roots["(this request)"]; n != 1 {
		t.Errorf("%d roots are the request's, want 1: %v", n, roots)
	}
	if roots["goroutine testing.tRunner"] == 0 {
		t.Errorf("the test's goroutine is missing: %v", roots)
	}
}

func TestHeapGraphHandlerParameters(t *testing.T) {
	for _, memory := range []string{"x", "0", "-1", "1e3"} {
		w := get(http.HandlerFunc(HeapGraph), "/debug/pprof/heapgraph?memory="+memory)
		if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "memory") {
			t.Errorf("memory=%s: status %d: %s", memory, w.Code, w.Body)
		}
	}
}

// TestHeapGraphHandlerBusy checks the status while another snapshot is being
// sent, to a client that does not read.
func TestHeapGraphHandlerBusy(t *testing.T) {
	sent, sender := io.Pipe()
	ended := make(chan bool)
	go func() {
		defer close(ended)
		defer func() {
			if recover() != http.ErrAbortHandler {
				t.Error("the connection of a client that went away is not aborted")
			}
		}()
		HeapGraph(pipedResponse{httptest.NewRecorder(), sender}, httptest.NewRequest("GET", "/debug/pprof/heapgraph", nil))
	}()
	if _, err := sent.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if w := get(http.HandlerFunc(HeapGraph), "/debug/pprof/heapgraph"); w.Code != http.StatusServiceUnavailable {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
	sent.Close()
	<-ended
	if w := get(http.HandlerFunc(HeapGraph), "/debug/pprof/heapgraph"); w.Code != http.StatusOK {
		t.Errorf("afterwards: status %d: %s", w.Code, w.Body)
	}
}

// A pipedResponse is a response whose body is written to a pipe.
type pipedResponse struct {
	http.ResponseWriter
	body io.Writer
}

func (w pipedResponse) Write(p []byte) (int, error) { return w.body.Write(p) }
