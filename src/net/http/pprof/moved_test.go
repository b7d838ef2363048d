// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pprof

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestRetainedMoved checks that requests for retained sizes name the command
// that has them.
func TestRetainedMoved(t *testing.T) {
	for _, test := range []struct {
		url    string
		status int
		want   string
	}{
		{"/debug/pprof/retained", http.StatusNotFound, "go tool heapgraph export"},
		{"/debug/pprof/retained?memory=1", http.StatusNotFound, "go tool heapgraph export"},
		{"/debug/pprof/refs?retained=main.T", http.StatusBadRequest, "go tool heapgraph retained"},
		{"/debug/pprof/refs?retained=", http.StatusBadRequest, "go tool heapgraph retained"},
		{"/debug/pprof/", http.StatusOK, "go tool heapgraph retained"},
	} {
		w := httptest.NewRecorder()
		Index(w, httptest.NewRequest("GET", test.url, nil))
		if w.Code != test.status || !strings.Contains(w.Body.String(), test.want) {
			t.Errorf("%s: status %d, %s", test.url, w.Code, w.Body)
		}
	}
}
