// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file makes the page with the paths to an object that have no vertex in
// common. The search for these paths may take seconds. Therefore the server
// sends the page about the object without the paths, and a script adds them to
// that page.

package main

import (
	"debug/heapgraph"
	"net/http"
	"strconv"
)

// A pathsData has the data of the page.
type pathsData struct {
	V       heapgraph.Vertex
	Part    bool   // the result is a part of the page about the object
	Several string // sentence about the number of paths, or ""
	Paths   [][]row
	Cut     []row
	More    string // link to more paths, or ""
	Reached bool
	None    string // reason why there are no paths
}

// maxPaths is the largest number of paths that a request can search for.
const maxPaths = 40

func (x *site) paths(r *http.Request) (*view, error) {
	s := x.s
	v, err := s.vertex(r)
	if err != nil {
		return nil, err
	}
	limit, err := number(r, "paths", 5)
	if err != nil {
		return nil, err
	}
	if limit < 1 || limit > maxPaths {
		return nil, badRequest("The number of paths must be from 1 to %d.", maxPaths)
	}
	d := &pathsData{V: v, Part: r.FormValue("part") != "", Reached: s.dom.Reached(v), None: notReached}
	select {
	case x.searches <- struct{}{}:
		defer func() { <-x.searches }()
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	p := s.DisjointPaths(v, limit)
	if len(p.Paths) > 1 {
		d.Several = severalPaths(p) + "."
	}
	for _, path := range p.Paths {
		d.Paths = append(d.Paths, s.pathRows(path))
	}
	d.Cut = cutRows(p)
	if p.More && limit < maxPaths {
		d.More = with(r, "paths", strconv.Itoa(min(2*limit, maxPaths)), "part", "")
	}
	return &view{template: "paths", part: d.Part, title: "Paths to " + s.label(v), data: d}, nil
}
