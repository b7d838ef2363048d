// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"slices"
	"testing"
)

// TestState has something below a request that grows by 4%.
func TestState(t *testing.T) {
	const (
		served = "main.app.serve.a *app"
		items  = "main.app.items map[int]*item"
		value  = "map[int]*main.item[value]"
		server = "main.theApp > " + items + " > " + value // in the recording of inuse
	)
	for _, test := range []struct {
		name   string
		below  []string
		apps   int64 // objects with a map each
		path   string
		recent int64 // megabytes of 100
		want   bool
		may    bool
	}{
		{"a map of one object", []string{served, items, value}, 1, server, 4, true, true},
		{"at the same path", []string{served, items, value}, 1, "(stack) > main.serve > " + served + " > " + items + " > " + value, 20, true, true},
		{"a slice of one object", []string{served, "main.app.list []*item", "[]*main.item[elem]"}, 1, "main.theApp > main.app.list []*item > []*main.item[elem]", 4, true, true},
		{"most is new", []string{served, items, value}, 1, server, 21, false, true},
		{"maps of many objects", []string{served, items, value}, 2, server, 4, false, false},
		{"an object of each request", []string{"main.app.serve.c *client"}, 0, "main.app.serve.c *client", 4, false, false},
		{"ages of other objects", []string{served, items, value}, 1, "main.others > " + value, 4, false, true},
	} {
		f := atRest()
		f.grow("", 0, 0, 4*mb)
		f.Refs.Bytes = 110 * mb
		own := map[string]int64{served: test.apps, items: test.apps, "main.app.list []*item": test.apps}
		last := len(test.below) - 1
		own[test.below[last]] = 1000
		var e *element
		for _, name := range slices.Backward(append([]string{stackRoot, "main.serve"}, test.below...)) {
			outer := &element{Name: name, Bytes: 100 * mb, NewBytes: 4 * mb, NewCount: 40, Objects: own[name]}
			if e != nil {
				outer.Objects += e.Objects
				outer.Children = []*element{e}
			}
			e = outer
		}
		f.Refs.Children = append(f.Refs.Children, e)
		g := trail{e}
		for len(g.at().Children) > 0 {
			g = append(g, g.at().Children[0])
		}
		sites := []site{{Path: test.path, Code: "main.keep m/a.go:7", Bytes: g.at().Bytes, NewBytes: g.at().Bytes / 100 * test.recent}}
		if f.Sites = append(sites, site{Path: test.path, Bytes: g.at().Bytes}); f.isState(g) {
			t.Errorf("%s: state with as much of others", test.name)
		}
		f.Sites = sites
		if got := f.isState(g); got != test.want {
			t.Errorf("%s: is state: %t", test.name, got)
		}
		found := slices.ContainsFunc(f.growths(), func(x trail) bool { return x.at() == g.at() })
		if found != test.want {
			t.Errorf("%s: found: %t", test.name, found)
		}
		if got := f.mayBeState(); got != test.may {
			t.Errorf("%s: may be state: %t", test.name, got)
		}
		f.Compare = true
		if f.isState(g) {
			t.Errorf("%s: state in a comparison", test.name)
		}
	}
}
