// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file makes the page about the differences of two snapshots, which are
// those that the command diff prints, without what the requests for the
// snapshots held.

package main

import (
	"cmd/internal/memsite"
	"cmp"
	"debug/heapgraph"
	"net/http"
	"slices"
)

// changeKinds has the kinds of changes.
var changeKinds = map[string]func(old, new *snapshot) []change{
	"type": func(old, new *snapshot) []change { return changedGroups(old.programTypes(), new.programTypes()) },
	"path": func(old, new *snapshot) []change { return changedPaths(old.dom, new.dom) },
}

// changeOrders has the orders of changes, the largest differences first.
var changeOrders = map[string]func(a, b change) int{
	"shallow":  func(a, b change) int { return cmp.Compare(magnitude(b.Shallow), magnitude(a.Shallow)) },
	"retained": func(a, b change) int { return cmp.Compare(magnitude(b.Retained), magnitude(a.Retained)) },
}

// A diffData has the data of the page.
type diffData struct {
	By       string
	Sort     string
	Kinds    []tab
	Columns  map[string]tab
	Old, New []string // lines about the snapshots
	Bytes    int64    // difference of the live bytes, without Request
	Objects  int64
	Request  int64 // difference of what the requests for the snapshots held
	Query    string
	Changes  []linkedChange
	*pager
}

// A linkedChange is a change with a link to the page about the changed type or
// path.
type linkedChange struct {
	change
	Link string // "" if the type or path is only in the old snapshot
}

func (x *site) diff(r *http.Request) (*view, error) {
	if x.old == nil {
		return nil, notFound("There is only one snapshot. To compare two, start heapgraph with both: go tool heapgraph -http=localhost:8080 new.graph old.graph.")
	}
	by := cmp.Or(r.FormValue("by"), "type")
	sort := cmp.Or(r.FormValue("sort"), "retained")
	order := changeOrders[sort]
	if x.changes[by] == nil || order == nil {
		return nil, badRequest("There is no such list or order.")
	}
	re, err := expression(r)
	if err != nil {
		return nil, err
	}
	request := x.requestChange()
	live := x.s.live.Sub(x.old.live).Sub(request)
	var list []change
	for _, c := range x.changes[by]() {
		if c.isRequest() == 1 || re != nil && !re.MatchString(c.Name) {
			continue
		}
		if by == "path" && len(c.Path) == 0 {
			c.Retained = c.Retained.Sub(request) // of all roots
		}
		list = append(list, c)
	}
	slices.SortStableFunc(list, order)
	p, err := newPager(r, len(list), len(list))
	if err != nil {
		return nil, err
	}
	d := &diffData{
		By:      by,
		Sort:    sort,
		Kinds:   tabs(r, "by", []string{"type", "path"}, []string{"Types", "Dominator paths"}),
		Columns: columns(r, []string{"shallow", "retained"}, []string{"Own size", "Retained"}),
		Old:     x.old.header(), New: x.s.header(),
		Bytes: live.Bytes, Objects: live.Objects, Request: request.Bytes,
		Query: r.FormValue("q"),
		pager: p,
	}
	for _, c := range list[p.From:p.To] {
		link := x.changeLink(by, c)
		c.Name = memsite.Ends(c.Name)
		d.Changes = append(d.Changes, linkedChange{c, link})
	}
	return &view{template: "diff", title: "Differences", data: d}, nil
}

// requestChange returns the difference of what the requests held.
func (x *site) requestChange() heapgraph.Amount {
	for _, c := range x.changes["type"]() {
		if c.isRequest() == 1 {
			return c.Shallow
		}
	}
	return heapgraph.Amount{}
}

// changeLink returns the URL of the page about a type or path that has changed,
// or "" if the new snapshot does not have the type or path.
func (x *site) changeLink(by string, c change) string {
	if by == "path" {
		if n, ok := x.names().find(c.Path); ok {
			return nodeURL("/tree", n)
		}
		return ""
	}
	has := func(g heapgraph.Group) bool { return g.Name == c.Name }
	if slices.ContainsFunc(x.groups["type"](), has) {
		return objectsLink(c.Name)
	}
	return ""
}

// find returns the node at a path.
func (t *nameTree) find(path []string) (n int, ok bool) {
	for _, name := range path {
		i := slices.IndexFunc(t.children[n], func(c int) bool { return t.nodes[c].Name == name })
		if i < 0 {
			return 0, false
		}
		n = t.children[n][i]
	}
	return n, true
}
