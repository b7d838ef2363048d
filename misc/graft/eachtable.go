// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

// This file writes the table of graft each -list, which has the size of each
// change list.

import (
	"fmt"
	"strconv"
	"strings"
)

// A size has the numbers of a row of the table. All but edits are numbers of
// lines.
type size struct {
	code, tests, docs int
	edits             int // number of Go's files that it edits
	added, removed    int // lines in Go's files
}

func (s *size) add(t size) {
	s.code += t.code
	s.tests += t.tests
	s.docs += t.docs
	s.edits += t.edits
	s.added += t.added
	s.removed += t.removed
}

// eachList prints the table. The numbers of the change lists are those that
// -from accepts.
func (g *graft) eachList() error {
	o, problems, err := readOverlay(&g.project)
	if err != nil {
		return err
	}
	if len(problems) > 0 {
		return problemsError(problems)
	}
	width := len("change list")
	for _, c := range o.lists {
		width = max(width, len(c.name))
	}
	g.say("%3s  %-*s %6s %6s %6s %6s %6s %8s", "", width, "change list", "code", "tests", "docs", "edits", "added", "removed")
	var total size
	for i, c := range o.filled() {
		s, err := o.size(c.name)
		if err != nil {
			return err
		}
		total.add(s)
		g.sizeLine(strconv.Itoa(i+1), width, c.name, s)
	}
	g.sizeLine("", width, "total", total)
	return nil
}

func (g *graft) sizeLine(n string, width int, name string, s size) {
	g.say("%3s  %-*s %6d %6d %6d %6d %6d %8d", n, width, name, s.code, s.tests, s.docs, s.edits, s.added, s.removed)
}

// size measures one change list.
func (o *overlay) size(list string) (size, error) {
	var total size
	for _, name := range o.names() {
		if f := o.files[name]; f.list == list {
			s, err := o.fileSize(name)
			if err != nil {
				return total, fmt.Errorf("%s: %v", name, err)
			}
			total.add(s)
		}
	}
	return total, nil
}

// fileSize measures one file of the overlay.
func (o *overlay) fileSize(name string) (size, error) {
	var s size
	f := o.files[name]
	n := len(numbered(string(f.data)))
	if f.patch {
		p, err := parsePatch(string(f.data))
		if err != nil {
			return s, err
		}
		n = len(p.added)
		s = size{edits: 1, added: n, removed: p.removed}
	}
	switch {
	case isTest(f.target):
		s.tests = n
	case strings.HasPrefix(f.target, "src/"):
		s.code = n
	default:
		s.docs = n
	}
	return s, nil
}

// isTest reports whether a file of goroot/ is there only for tests.
func isTest(target string) bool {
	return strings.HasPrefix(target, "test/") || strings.HasSuffix(target, "_test.go") || strings.Contains(target, "/testdata/")
}
