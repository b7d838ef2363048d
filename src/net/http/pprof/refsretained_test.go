// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pprof

import (
	"internal/profile"
	"net/http"
	"strings"
	"testing"
)

// retainedByHandler holds the objects whose retained size
// TestRetainedSetsHandler checks.
var retainedByHandler []*retainedObject

type retainedObject struct {
	next *retainedObject
	_    [1 << 10]byte
}

func TestRetainedSetsHandler(t *testing.T) {
	for range 100 {
		retainedByHandler = append(retainedByHandler, &retainedObject{next: new(retainedObject)})
	}
	defer func() { retainedByHandler = nil }()
	for _, query := range []string{
		"retained=net/http/pprof.retainedByHandler",
		"retained=pprof.retainedObject",
		"retained=net/http/pprof.retainedByHandler&retained=pprof.retainedObject",
		"retained=...retainedByHandler",
	} {
		w := get(http.HandlerFunc(Index), "/debug/pprof/refs?"+query)
		if w.Code != http.StatusOK || w.Header().Get("Content-Disposition") != `attachment; filename="retained"` {
			t.Fatalf("%s: status %d: %s", query, w.Code, w.Body)
		}
		p, err := profile.Parse(w.Body)
		if err != nil {
			t.Fatal(err)
		}
		objects := int64(0)
		for _, s := range p.Sample {
			if s.Label["type"][0] == "pprof.retainedObject" {
				objects += s.Value[0]
			}
		}
		if objects != 200 {
			t.Errorf("%s: %d objects are retained, want 200", query, objects)
		}
		text := get(http.HandlerFunc(Index), "/debug/pprof/refs?debug=1&"+query)
		if !strings.HasPrefix(text.Body.String(), "retained profile: ") || !strings.HasPrefix(text.Header().Get("Content-Type"), "text/plain") {
			t.Errorf("%s: text begins with %.100q", query, text.Body)
		}
	}
}

func TestRetainedSetsHandlerErrors(t *testing.T) {
	for _, test := range []struct {
		query, want string
		code        int
	}{
		{"retained=", "a name has 0 bytes", http.StatusBadRequest},
		{"retained=no/such", `"no/such"`, http.StatusBadRequest},
		{"retained=no/such&debug=1", `"no/such"`, http.StatusBadRequest},
		{"retained=x&seconds=1", "incompatible", http.StatusBadRequest},
		{"retained=" + strings.Repeat("x", 2000), "2000 bytes", http.StatusBadRequest},
	} {
		w := get(http.HandlerFunc(Index), "/debug/pprof/refs?"+test.query)
		if w.Code != test.code || !strings.Contains(w.Body.String(), test.want) {
			t.Errorf("%.50s: status %d: %s, want %d with %s", test.query, w.Code, w.Body, test.code, test.want)
		}
	}
}
