// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"strings"
	"testing"
)

func TestRecursionText(t *testing.T) {
	for _, test := range []struct {
		path string
		root string
		came int64
		want bool
	}{
		{"main.tr > main.tracer.recent *span", "global", 1000, true},
		{"main.tr > main.tracer.last Span(*main.span)", "global", 1000, true},
		{"main.tr > main.tracer.recent *span", "global", manyObjects - 1, false},
		{"main.tr > main.tracer.recent *span", "global", -1000, false},
		{"main.tr > main.tracer.recent *span", "stack", 1000, false},
		{"main.tr > main.tracer.spans []span > main.span.parent *span", "global", 1000, false},
		{"main.tr > main.tracer.spans *[9]span > main.span.parent *span", "global", 1000, false},
		{"main.all > map[string]*main.span[value] > main.span.parent *span", "global", 1000, false},
		{"main.pages > []*main.page[elem] 1000 > main.page.tracer *tracer > main.tracer.recent *span", "global", 1000, true},
		{"main.pages > main.page.tracer *tracer 1000 > main.tracer.recent *span", "global", 1000, false},
		{"main.app > main.app.sessions.m.root *sync.indirect[interface {},interface {}]", "global", 1000, false},
		{"main.sessions > sync.Map.m.root *sync.indirect[interface {},interface {}]", "global", 1000, false},
		{"main.all > []*main.span[elem]", "global", 1000, false},
		{"main.lru > list.List.root.next *Element 1000 > list.Element.Value interface {}(*main.page)", "global", 1000, false},
		{"main.all > main.tracer.names []string", "global", 1000, false},
		{"main.all > main.tracer.done func()", "global", 1000, false},
	} {
		var g trail
		for _, name := range strings.Split(test.path, pathSeparator) {
			name, many := strings.CutSuffix(name, " 1000")
			e := &element{Name: name, Root: test.root, NewCount: test.came, Objects: test.came + 1}
			if many {
				e.Objects += 1000
			}
			if len(g) > 0 {
				g.at().Children = []*element{e}
				g.at().Objects++ // the one that has the reference
			}
			g = append(g, e)
		}
		if got := new(facts).recursionText(g); (got != nil) != test.want {
			t.Errorf("%s, %s, %d objects: %q", test.path, test.root, test.came, got)
		}
	}
}
