// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"cmp"
	"debug/heapgraph"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

var benchFile = flag.String("graph", "", "file of the snapshot of BenchmarkPages")

// BenchmarkPages gets pages after the results that they share are computed, and
// reports the sizes of the pages. For a snapshot of five million objects:
//
//	go run cmd/heapgraph/testdata/large.go /tmp/large.graph
//	go test cmd/heapgraph -run=NONE -bench=Pages -benchtime=3x -args -graph=/tmp/large.graph
func BenchmarkPages(b *testing.B) {
	if *benchFile == "" {
		b.Skip("there is no -graph")
	}
	x, err := newTask(io.Discard, io.Discard).loadSite([]string{*benchFile})
	if err != nil {
		b.Fatal(err)
	}
	x.warmUp()
	out, in := mostReferences(x.s)
	held := "address=" + x.s.address(in)
	holder := "address=" + x.s.address(out)
	typ := x.s.Name(out)
	for _, path := range []string{
		"/", "/flame", "/flame?q=.", "/tree", "/tree?node=1", "/types", "/types?by=root", "/types?by=package", "/types?by=path",
		"/search?q=.", objectsLink(typ), objectsLink(x.s.Name(in)), "/vertices?node=1", "/vertices?" + holder + "&from=900",
		"/object?" + held, "/object?" + holder, "/references?way=in&" + held, "/references?way=in&from=1000000&" + held,
		"/references?way=out&from=1000000&" + holder, "/paths?" + held, "/paths?" + holder,
	} {
		b.Run(cmp.Or(path[1:], "suspects"), func(b *testing.B) {
			size := 0
			for b.Loop() {
				w := httptest.NewRecorder()
				x.handler().ServeHTTP(w, httptest.NewRequest("GET", path, nil))
				if w.Code != http.StatusOK {
					b.Fatalf("status %d", w.Code)
				}
				size = w.Body.Len()
			}
			b.ReportMetric(float64(size), "bytes")
		})
	}
}

// mostReferences returns the object that has the most references, and the
// object to which there are the most references.
func mostReferences(s *snapshot) (out, in heapgraph.Vertex) {
	number := make([]int, s.NumVertices())
	most := 0
	from, to := s.Objects()
	for v := from; v < to; v++ {
		if n := length(s.Targets(v)); n > most {
			most, out = n, v
		}
		for w := range s.Targets(v) {
			number[w]++
		}
	}
	for v := from; v < to; v++ {
		if number[v] > number[in] {
			in = v
		}
	}
	return out, in
}
