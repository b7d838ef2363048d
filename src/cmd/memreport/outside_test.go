// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import "testing"

// TestOutsideText has slices and others that grow, and takes that have a graph,
// or none.
func TestOutsideText(t *testing.T) {
	watch, tried, compared := atRest(), atRest(), atRest()
	tried.Missing = []string{"heapgraph: 404 Not Found"}
	compared.Compare = true
	graph := atRest()
	graph.Graph = new(element)
	for _, test := range []struct {
		name string
		f    *facts
		want bool
	}{
		{"[]*main.job[elem]", watch, true},
		{"[]main.job[elem](*main.queue)", watch, true},
		{"[]*main.job[elem]", tried, false},
		{"[]*main.job[elem]", compared, false},
		{"[]*main.job[elem]", graph, false},
		{"chan *main.job[elem]", watch, false},
		{"main.all []*main.job", watch, false},
	} {
		below := &element{Name: "main.job.in []uint8", NewCount: 1000}
		few := &element{Name: test.name, NewCount: below.NewCount + manyObjects - 1, Children: []*element{below}}
		if got := test.f.outsideText(few); got != nil {
			t.Errorf("%s with few new elements: %q", test.name, got)
		}
		if got := test.f.outsideText(&element{Name: test.name, NewCount: manyObjects}); (got != nil) != test.want {
			t.Errorf("%s: %q", test.name, got)
		}
	}
}

func TestFindOutside(t *testing.T) {
	graph := func(bytes int64, name string) func(*facts) {
		return func(f *facts) {
			f.Graph = &element{Bytes: 30 * mb, Children: []*element{
				{Name: "main.queue", Root: "global", Bytes: bytes + mb, Children: []*element{
					{Name: name, Bytes: bytes, Objects: 100, Children: []*element{{Name: "request.body []uint8", Bytes: bytes}}},
					{Name: "[]*main.request[elem]", Bytes: mb},
				}},
			}}
		}
	}
	testFindings(t, findOutside, []findingTest{
		{"a queue", graph(12*mb, "[]*main.request[outside]"), []string{"main.queue > []*main.request[outside]"}},
		{"a small one", graph(9*mb, "[]*main.request[outside]"), nil},
		{"in use", graph(12*mb, "[]*main.request[elem]"), nil},
		{"a field of elements", graph(12*mb, "main.request.body []uint8 [outside]"), []string{"main.queue > main.request.body []uint8 [outside]"}},
		{"a pool", graph(12*mb, "sync.poolLocal.private [][outside]"), nil},
		{"an explanation", func(f *facts) {
			graph(12*mb, "[]*main.request[outside]")(f)
			f.Graph.Children[0].Root = "barrier"
		}, nil},
	})
}
