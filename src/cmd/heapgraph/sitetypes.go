// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file makes the page that lists the same types, roots, packages or paths
// as the command top.

package main

import (
	"cmp"
	"debug/heapgraph"
	"net/http"
	"regexp"
	"slices"
)

// A tab is a link to another kind or order of a list.
type tab struct {
	Name, Link string
	Current    bool
}

// tabs returns links to a page, one for each value of a parameter. A page
// without the parameter has the first value.
func tabs(r *http.Request, parameter string, values, names []string) []tab {
	current := cmp.Or(r.FormValue(parameter), values[0])
	var list []tab
	for i, v := range values {
		set := v
		if i == 0 {
			set = ""
		}
		list = append(list, tab{names[i], with(r, parameter, set, "from", ""), v == current})
	}
	return list
}

// columns returns the titles of columns, which are links to the orders of a
// list.
func columns(r *http.Request, orders, titles []string) map[string]tab {
	byOrder := make(map[string]tab)
	for i, t := range tabs(r, "sort", orders, titles) {
		byOrder[orders[i]] = t
	}
	return byOrder
}

// A typesData has the data of the page.
type typesData struct {
	By      string
	Sort    string
	Kinds   []tab
	Columns map[string]tab // links that sort by a column
	Shallow bool           // the groups have sizes of their own
	Unused  bool           // the snapshot says how many bytes are unused
	Link    bool           // groups have links to their vertices
	Query   string
	Groups  []heapgraph.Group
	*pager
}

func (x *site) types(r *http.Request) (*view, error) {
	by := cmp.Or(r.FormValue("by"), "type")
	sort := cmp.Or(r.FormValue("sort"), "retained")
	order := groupOrders[sort]
	if x.groups[by] == nil || order == nil {
		return nil, badRequest("There is no such list or order.")
	}
	re, err := expression(r)
	if err != nil {
		return nil, err
	}
	groups := matchingGroups(x.groups[by](), re)
	slices.SortStableFunc(groups, order)
	p, err := newPager(r, len(groups), len(groups))
	if err != nil {
		return nil, err
	}
	d := &typesData{
		By:      by,
		Sort:    sort,
		Kinds:   tabs(r, "by", []string{"type", "root", "package", "path"}, []string{"Types", "Roots", "Packages", "Paths in profiles"}),
		Columns: columns(r, []string{"retained", "shallow", "objects", "unused"}, []string{"Size", "Size", "Objects", "Unused"}),
		Shallow: by != "root",
		Unused:  slices.ContainsFunc(groups, func(g heapgraph.Group) bool { return g.Unused != 0 }),
		Link:    by == "type" || by == "root",
		Query:   r.FormValue("q"),
		Groups:  groups[p.From:p.To],
		pager:   p,
	}
	title := map[string]string{"type": "Types", "root": "Roots", "package": "Packages", "path": "Paths in profiles"}[by]
	return &view{template: "types", title: title, data: d}, nil
}

// matchingGroups returns the groups whose names match, in a new list.
func matchingGroups(groups []heapgraph.Group, re *regexp.Regexp) []heapgraph.Group {
	if re == nil {
		return slices.Clone(groups)
	}
	var list []heapgraph.Group
	for _, g := range groups {
		if re.MatchString(g.Name) {
			list = append(list, g)
		}
	}
	return list
}
