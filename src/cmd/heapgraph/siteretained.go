// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file makes the page about what sets retain, as the command retained
// prints it.

package main

import (
	"cmd/internal/memsite"
	"debug/heapgraph"
	"net/http"
	"net/url"
	"slices"
)

// A retainedData has the data of the page.
type retainedData struct {
	Sets []retainedSet
	*heapgraph.Retained
}

// A retainedSet is a set on the page.
type retainedSet struct {
	heapgraph.RetainedSet
	Without string // URL of the page without this set
	Paths   []pathRow
	More    int // number of paths that are not in Paths
}

// A pathRow is a path of a set.
type pathRow struct {
	heapgraph.Amount
	Path string
}

func (x *site) retained(r *http.Request) (*view, error) {
	r.ParseForm()
	names := slices.DeleteFunc(slices.Clone(r.Form["set"]), func(s string) bool { return s == "" })
	d := new(retainedData)
	v := &view{template: "retained", title: "Retained by sets", data: d}
	if len(names) == 0 {
		return v, nil
	}
	for _, name := range names {
		if len(name) > maxQuery {
			return nil, badRequest("The name of a set has more than %d characters.", maxQuery)
		}
	}
	if len(names) > 10 {
		return nil, badRequest("There are more than 10 sets.")
	}
	select {
	case x.searches <- struct{}{}:
		defer func() { <-x.searches }()
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	found, err := x.s.retained(names)
	if err != nil {
		return nil, notFound("%s", sentence(message(err)))
	}
	d.Retained = found
	for i, s := range found.Sets {
		without := slices.Delete(slices.Clone(names), i, i+1)
		row := retainedSet{RetainedSet: s, Without: "/retained?" + url.Values{"set": without}.Encode(), More: max(0, len(s.Paths)-pageRows)}
		for _, p := range first(s.Paths, pageRows) {
			row.Paths = append(row.Paths, pathRow{p.Amount, memsite.Ends(pathWithType(&p))})
		}
		d.Sets = append(d.Sets, row)
	}
	return v, nil
}
