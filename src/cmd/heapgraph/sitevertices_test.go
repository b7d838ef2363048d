// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"debug/heapgraph"
	"io"
	"net/http"
	"slices"
	"testing"
)

func TestVerticesPage(t *testing.T) {
	h := loadTestSite(t, (&server{sessions: 120}).file(t))
	checkPages(t, h, []pageTest{
		{"/vertices?name=app.Session", 0, []string{
			"app.Session",
			"1 to 100 of 120 Next",
			"Retained Share Objects Own size Object or root",
			"1088 0.7% 2 64 app.Session 0xa000",
			"1088 0.7% 2 64 app.Session 0xa040",
		}},
		{"/vertices?name=app.Session&from=100", 0, []string{
			"Previous 101 to 120 of 120",
			"Retained Share Objects Own size Object or root",
			"1088 0.7% 2 64 app.Session 0xb900",
		}},
		{"/vertices?name=app.sessions", 0, []string{
			"1 to 1 of 1",
			"Retained Share Objects Own size Object or root",
			"162240 99.3% 239 0 app.sessions",
			"1 to 1 of 1",
		}},
		{"/vertices?address=0xa040", 0, []string{
			"Immediately dominated by app.Session 0xa040",
			"1 to 1 of 1",
			"Retained Share Objects Own size Object or root",
			"1024 0.6% 1 1024 []uint8 0xe400",
			"1 to 1 of 1",
		}},
		{"/vertices?name=app.Nothing", http.StatusNotFound, []string{"Nothing has the name app.Nothing."}},
		{"/vertices", http.StatusBadRequest, []string{"The address of an object is missing."}},
	})
}

// TestLargest checks that largest returns the vertices that retain the most, in
// order, and the number of all.
func TestLargest(t *testing.T) {
	task := newTask(io.Discard, t.Output())
	s, err := task.load(writeTemp(t, list(t, 300)))
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{1, 2, 10, 599, 600, 700} {
		list, total := s.largest(s.named("app.Node"), n)
		if total != 300 || len(list) != min(n, 300) || !slices.IsSortedFunc(list, func(a, b heapgraph.Vertex) int {
			return int(s.dom.Retained(b).Bytes - s.dom.Retained(a).Bytes)
		}) {
			t.Errorf("%d of %d: %v", n, total, list)
		}
		from, _ := s.Objects()
		if list[0] != from || s.dom.Retained(list[len(list)-1]).Objects != int64(2*(301-len(list))) {
			t.Errorf("%d: %d to %d", n, list[0], list[len(list)-1])
		}
	}
}
