// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file has the parts that the pages in a browser share: the snapshots,
// results that are computed once, templates, and errors. The server makes all
// pages, and they work without a script. Most pages show at most 100 rows of a
// list.

package main

import (
	"bytes"
	"cmd/internal/memsite"
	"cmp"
	"debug/heapgraph"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"
)

//go:embed site
var siteFiles embed.FS

// A site is the pages about a snapshot.
type site struct {
	s   *snapshot
	old *snapshot // snapshot with which s is compared, or nil

	report bool // the pages are part of those of go tool memreport

	// These compute their result once.
	suspects  func() ([]heapgraph.Suspect, error)
	outsiders func() []heapgraph.Outside
	names     func() *nameTree
	groups    map[string]func() []heapgraph.Group // by the keys of groupings
	changes   map[string]func() []change          // by the keys of changeKinds

	searches  chan struct{} // has an item for each search for paths that runs
	templates map[string]*template.Template
}

func newSite(s, old *snapshot) *site {
	x := &site{s: s, old: old, searches: make(chan struct{}, 2)}
	x.suspects = sync.OnceValues(s.dom.Suspects)
	x.outsiders = sync.OnceValue(s.outsiders)
	x.names = sync.OnceValue(s.nameTree)
	x.groups = make(map[string]func() []heapgraph.Group)
	for by, group := range groupings {
		x.groups[by] = sync.OnceValue(func() []heapgraph.Group { return group(s.dom) })
	}
	x.changes = make(map[string]func() []change)
	if old != nil {
		for by, f := range changeKinds {
			x.changes[by] = sync.OnceValue(func() []change { return f(old, s) })
		}
	}
	x.parseTemplates()
	return x
}

// warmUp computes results that pages need, in the order in which pages are
// likely to be opened.
func (x *site) warmUp() {
	x.suspects()
	x.outsiders()
	x.groups["type"]()
	x.groups["root"]()
	x.names()
	for range x.s.Sources(heapgraph.All) {
	}
	x.s.ShortestPath(heapgraph.All)
}

// A view is a page, or a part of one, as a template needs it.
type view struct {
	template string // without the extension
	part     bool   // without the frame of all pages
	title    string
	status   int // status of HTTP, or 0 for OK
	data     any
	redirect string // URL of the page to which to redirect, or ""
}

// A pageError is an error that has a status of HTTP.
type pageError struct {
	status int
	text   string
}

func (e *pageError) Error() string { return e.text }

func badRequest(format string, args ...any) error {
	return &pageError{http.StatusBadRequest, fmt.Sprintf(format, args...)}
}

func notFound(format string, args ...any) error {
	return &pageError{http.StatusNotFound, fmt.Sprintf(format, args...)}
}

// A pageFunc makes a page.
type pageFunc func(*http.Request) (*view, error)

// handler returns the handler of all pages.
func (x *site) handler() http.Handler {
	mux := http.NewServeMux()
	first := "/{$}"
	if x.report {
		first = x.first()
	}
	for pattern, f := range map[string]pageFunc{
		first:         x.home,
		"/flame":      x.flame,
		"/tree":       x.tree,
		"/tree/rows":  x.treeRows,
		"/types":      x.types,
		"/vertices":   x.vertices,
		"/object":     x.object,
		"/references": x.references,
		"/paths":      x.paths,
		"/diff":       x.diff,
		"/retained":   x.retained,
		"/search":     x.search,
		"/": func(*http.Request) (*view, error) {
			return nil, notFound("There is no such page.")
		},
	} {
		mux.HandleFunc("GET "+pattern, func(w http.ResponseWriter, r *http.Request) { x.serve(w, r, f) })
	}
	memsite.AddFiles(mux)
	memsite.ServeFile(mux, siteFiles, "site/script.js", "text/javascript; charset=utf-8")
	return mux
}

// serve answers a request with a page, or with a page about an error.
func (x *site) serve(w http.ResponseWriter, r *http.Request, f pageFunc) {
	v, err := f(r)
	if err != nil {
		v = errorView(err)
	}
	if v.redirect != "" {
		http.Redirect(w, r, v.redirect, http.StatusFound)
		return
	}
	var b bytes.Buffer
	if err := x.render(&b, r, v); err != nil {
		fmt.Fprintf(x.s.t.progress.w, "heapgraph: %s\n", printable(err.Error()))
		http.Error(w, "The page cannot be made.", http.StatusInternalServerError)
		return
	}
	memsite.Write(w, cmp.Or(v.status, http.StatusOK), b.Bytes())
}

// errorView returns the page about an error.
func errorView(err error) *view {
	v := &view{template: "error", title: "Error", status: http.StatusInternalServerError, data: err.Error()}
	if e := (*pageError)(nil); errors.As(err, &e) {
		v.status = e.status
		v.title = http.StatusText(e.status)
	}
	return v
}

// menu returns the menu of a page.
func (x *site) menu(path string) []memsite.MenuItem {
	list := []memsite.MenuItem{
		{Path: x.first(), Name: "Suspects"},
		{Path: "/flame", Name: "Flame graph"},
		{Path: "/tree", Name: "Dominator tree"},
		{Path: "/types", Name: "Types"},
		{Path: "/retained", Name: "Sets"},
	}
	if x.report {
		list = slices.Insert(list, 0, memsite.MenuItem{Path: "/", Name: "Report"})
	}
	if x.old != nil {
		list = append(list, memsite.MenuItem{Path: "/diff", Name: "Differences"})
	}
	for i := range list {
		list[i].Current = list[i].Path == path
	}
	return list
}

// first returns the path of the first page.
func (x *site) first() string {
	if x.report {
		return memsite.BelowReport
	}
	return "/"
}

// render writes a view.
func (x *site) render(b *bytes.Buffer, r *http.Request, v *view) error {
	t := x.templates[v.template]
	if v.part {
		return t.ExecuteTemplate(b, "content", v.data)
	}
	return t.ExecuteTemplate(b, "page", memsite.Page{
		Title:   v.title,
		Program: cmp.Or(x.s.MainPath, "heap graph"),
		Origin:  x.s.origin(),
		Menu:    x.menu(r.URL.Path),
		Search:  true,
		Script:  true,
		Data:    v.data,
	})
}

// parseTemplates parses the templates. Each page has a file, which defines its
// content. The files in shared define the frame of all pages, and parts that
// several pages have, such as tables.
func (x *site) parseTemplates() {
	s := x.s
	shared := template.Must(memsite.Templates(template.FuncMap{
		"size":     s.t.size,
		"change":   s.t.change,
		"share":    s.share,
		"width":    func(n int64) string { return fmt.Sprintf("%.2f%%", min(100, max(0, s.percent(n)))) },
		"count":    count,
		"retained": s.dom.Retained,
		"label":    s.label,
		"link":     s.link,
		"used":     s.used,
		"objects":  objectsLink,
		"short":    memsite.ShortName,
		"table":    newTable,
		"minutes":  minutes,
		"plus":     func(a, b int) int { return a + b },
	}).ParseFS(siteFiles, "site/shared/*.html"))
	x.templates = make(map[string]*template.Template)
	pages, err := fs.Glob(siteFiles, "site/*.html")
	if err != nil {
		panic(err)
	}
	for _, name := range pages {
		t := template.Must(template.Must(shared.Clone()).ParseFS(siteFiles, name))
		x.templates[strings.TrimSuffix(path.Base(name), ".html")] = t
	}
}
