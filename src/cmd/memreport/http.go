// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file serves a report as a page.

package main

import (
	"bytes"
	"cmd/internal/memsite"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
)

//go:embed site/*.html
var siteFiles embed.FS

var reportPage = template.Must(memsite.Templates(nil).ParseFS(siteFiles, "site/*.html"))

// serve makes the report of the arguments, and serves it. It listens before it
// makes the report, so that a wrong address is reported at once.
func (c *invocation) serve(args []string, limit int64) error {
	l, err := memsite.Listen(c.http)
	if errors.As(err, new(memsite.AddressError)) {
		return fmt.Errorf("-http: %w", err)
	} else if err != nil {
		return err
	}
	defer l.Close()
	f, err := c.facts(args, limit)
	if err != nil {
		return err
	}
	c.release()
	s := newReportSite(f, find(f))
	if s.graph != nil {
		defer s.graph.close()
	}
	fmt.Fprintf(c.stdout, "Serving the report of %s on %s\n", printable(f.Program), l.URL)
	return l.Serve(s.handler(), !c.noBrowser)
}

// A reportSite is the page of a report.
type reportSite struct {
	f           *facts
	findings    []finding
	grown, held *pathTree
	graph       *graphPages // of the take's heap graph, or nil
}

func newReportSite(f *facts, findings []finding) *reportSite {
	s := &reportSite{f: f, findings: findings}
	top := f.tree()
	if !f.once() {
		s.grown = newPathTree(grownID, "what came", top, cameAt)
	}
	s.held = newPathTree(heldID, "live heap", top, heldAt)
	if name := filepath.Join(f.take.dir, graphName); f.take.dir != "" {
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			s.graph = &graphPages{file: name}
		}
	}
	return s
}

func (s *reportSite) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.serve)
	memsite.AddFiles(mux)
	if s.graph != nil {
		mux.Handle("GET /", s.graph)
	}
	return mux
}

// serve answers a request with the page. Its parameters are nodes of the flame
// graphs.
func (s *reportSite) serve(w http.ResponseWriter, r *http.Request) {
	nodes := make(map[string]int)
	for _, t := range []*pathTree{s.grown, s.held} {
		if t == nil || r.FormValue(t.id) == "" {
			continue
		}
		n, err := strconv.ParseUint(r.FormValue(t.id), 10, 31)
		if err != nil || int(n) >= len(t.elements) {
			http.Error(w, "The flame graph has no such box.", http.StatusNotFound)
			return
		}
		nodes[t.id] = int(n)
	}
	f := s.f
	var b bytes.Buffer
	err := reportPage.ExecuteTemplate(&b, "page", memsite.Page{
		Title:   printable(f.title()),
		Program: printable(f.Program),
		Origin:  printable("go tool memreport " + quote(f.take.dir)),
		Menu:    s.menu(),
		Search:  s.graph != nil,
		Data:    s.page(nodes),
	})
	if err != nil {
		http.Error(w, "The page cannot be made.", http.StatusInternalServerError)
		return
	}
	memsite.Write(w, http.StatusOK, b.Bytes())
}

// menu has the pages of the heap graph, if there is one.
func (s *reportSite) menu() []memsite.MenuItem {
	list := []memsite.MenuItem{{Path: "/", Name: "Report", Current: true}}
	if s.graph != nil {
		list = append(list, graphMenu...)
	}
	return list
}
