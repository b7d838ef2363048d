// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file makes the page that searches types and roots by a regular
// expression, and objects by address.

package main

import (
	"debug/heapgraph"
	"net/http"
	"net/url"
	"strings"
)

// A searchData has the data of the page.
type searchData struct {
	Query        string
	Types, Roots found
}

// A found has the groups that match.
type found struct {
	Groups []heapgraph.Group // the first ones
	Total  int
	All    string // link to all of them
}

func (x *site) search(r *http.Request) (*view, error) {
	q := r.FormValue("q")
	if address := strings.TrimSpace(q); strings.HasPrefix(address, "0x") {
		return &view{redirect: "/object?" + url.Values{"address": {address}}.Encode()}, nil
	}
	re, err := expression(r)
	if err != nil {
		return nil, err
	}
	d := &searchData{Query: q}
	if re != nil {
		find := func(by string) found {
			groups := matchingGroups(x.groups[by](), re)
			return found{first(groups, 5*topRows), len(groups), "/types?" + url.Values{"by": {by}, "q": {q}}.Encode()}
		}
		d.Types, d.Roots = find("type"), find("root")
	}
	return &view{template: "search", title: "Search", data: d}, nil
}
