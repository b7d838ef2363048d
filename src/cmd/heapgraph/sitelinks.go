// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file has the links between pages, and their parameters. In a link, an
// object is identified by its address, and a root by its number.

package main

import (
	"debug/heapgraph"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
)

// link returns the URL of the page about a vertex.
func (s *snapshot) link(v heapgraph.Vertex) string { return "/object?" + s.query(v).Encode() }

// query returns the parameters that identify a vertex.
func (s *snapshot) query(v heapgraph.Vertex) url.Values {
	if s.Kind(v) == heapgraph.KindObject {
		return url.Values{"address": {s.address(v)}}
	}
	return url.Values{"root": {strconv.Itoa(int(v))}}
}

// objectsLink returns the URL of the page with the vertices that have the given
// name.
func objectsLink(name string) string { return "/vertices?" + url.Values{"name": {name}}.Encode() }

// vertex returns the vertex that the parameters of a request name.
func (s *snapshot) vertex(r *http.Request) (heapgraph.Vertex, error) {
	if r.FormValue("root") != "" {
		n, err := number(r, "root", 0)
		if err != nil {
			return 0, err
		}
		from, to := s.Roots()
		if n >= int(to) || n < int(from) && n != int(heapgraph.All) {
			return 0, notFound("There is no root %d.", n)
		}
		return heapgraph.Vertex(n), nil
	}
	address := r.FormValue("address")
	if address == "" {
		return 0, badRequest("The address of an object is missing.")
	}
	m, err := s.at(address)
	if errors.As(err, new(usageError)) {
		return 0, badRequest("%v.", err)
	} else if err != nil {
		return 0, notFound("No object is at %s.", address)
	}
	return m.largest, nil
}

// number returns a parameter that is a number and not negative. If the request
// does not have the parameter, number returns the value of otherwise.
func number(r *http.Request, name string, otherwise int) (int, error) {
	text := r.FormValue(name)
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return 0, badRequest("The parameter %s is not a number: %s.", name, text)
	}
	return int(n), nil
}

// maxQuery is the largest number of bytes of a regular expression. A page may
// repeat it a thousand times.
const maxQuery = 500

// expression returns the regular expression of the parameter q, or nil.
func expression(r *http.Request) (*regexp.Regexp, error) {
	text := r.FormValue("q")
	if text == "" {
		return nil, nil
	}
	if len(text) > maxQuery {
		return nil, badRequest("The search has more than %d characters.", maxQuery)
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, badRequest("The search is not a regular expression: %v.", err)
	}
	return re, nil
}

// with returns the URL of a request with other values of parameters, given as
// pairs of name and value. An empty value removes a parameter.
func with(r *http.Request, pairs ...string) string {
	q := r.URL.Query()
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] == "" {
			q.Del(pairs[i])
		} else {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	u := url.URL{Path: r.URL.Path, RawQuery: q.Encode()}
	return u.String()
}

// pageRows is the number of rows of a list that are on a page.
const pageRows = 100

// A pager is the part of a list that a page shows: the rows from index From up
// to, but not including, To.
type pager struct {
	From, To, Total int
	Listed          int    // number of rows that all pages together can show
	Previous, Next  string // URLs, or ""
}

// newPager returns the part of a list for which a request asks. total is the
// number of rows of the list. listed is the number of rows, from the first on,
// that pages can show.
func newPager(r *http.Request, total, listed int) (*pager, error) {
	from, err := number(r, "from", 0)
	if err != nil {
		return nil, err
	}
	p := &pager{Total: total, Listed: min(total, listed)}
	p.From = min(from, max(0, p.Listed-1))
	p.To = min(p.From+pageRows, p.Listed)
	if p.From > 0 {
		p.Previous = with(r, "from", nonzero(max(0, p.From-pageRows)))
	}
	if p.To < p.Listed {
		p.Next = with(r, "from", strconv.Itoa(p.To))
	}
	return p, nil
}

// First returns the number of the page's first row in the list, counted from 1.
// It returns 0 if the list is empty.
func (p *pager) First() int { return min(p.From+1, p.Total) }

// nonzero returns a number as text, and "" for 0.
func nonzero(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}
