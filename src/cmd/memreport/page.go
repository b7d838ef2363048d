// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file has what the template of a report's page shows.

package main

import (
	"cmd/internal/memsite"
	"net/url"
	"regexp"
	"strings"
)

// maxCards bounds the findings of a page.
const maxCards = 100

// A pageData has the data of the page.
type pageData struct {
	Bars          []bar
	Change        string // title of the column, or ""
	Classes       []classRow
	Limit         string
	LimitNote     string
	Goroutines    string
	NewGoroutines string
	Notes         []string
	Missing       []string
	None          string // says that there is no finding
	Cards         []card
	More          int // findings that have no card
	Pictures      []*picture
	Snapshot      string // command that adds a heap graph, or ""
}

// A card is a finding.
type card struct {
	Number int
	finding
	Graph string // link to what the heap graph has of its root, or ""
}

// A classRow is a row of the table.
type classRow struct {
	Style             string // class of its color
	Name, Note        string
	Part              bool // of the resident size
	Now, Change, Sign string
}

// A picture is a flame graph with its title.
type picture struct {
	ID, Title, Note string
	Whole           string // link to all of it, if it shows a part, or ""
	*memsite.Picture
}

// page returns the data of the page, with nodes of the flame graphs.
func (s *reportSite) page(nodes map[string]int) *pageData {
	f := s.f
	d := &pageData{
		Bars:    f.bars(),
		Change:  f.changeTitle(),
		Classes: f.classRows(),

		Goroutines:    formatCount(f.goroutines()),
		NewGoroutines: f.newGoroutines(),
	}
	if f.Limit > 0 {
		d.Limit, d.LimitNote = formatSize(f.Limit), f.limitNote()
	}
	for _, n := range f.notes() {
		d.Notes = append(d.Notes, printable(memsite.Ends(n)))
	}
	for _, m := range f.Missing {
		d.Missing = append(d.Missing, printable(memsite.Ends(m)))
	}
	if len(s.findings) == 0 {
		d.None = f.nothing()
	}
	for i, x := range s.findings[:min(len(s.findings), maxCards)] {
		d.Cards = append(d.Cards, s.card(i+1, x))
	}
	d.More = len(s.findings) - len(d.Cards)
	if s.grown != nil {
		d.Pictures = append(d.Pictures, s.grown.picture(nodes, "What came "+f.during(f.RefsTime).inWatch(), "The width of a box is what came at a path, without what went there."))
	}
	if s.held != nil {
		d.Pictures = append(d.Pictures, s.held.picture(nodes, "What is held now", "The width of a box is what is found alive through a path."))
	}
	if s.graph == nil && f.Refs != nil && f.take.URL != "" {
		d.Snapshot = printable(f.take.graphCommand())
	}
	return d
}

// graphCommand returns the command that adds a heap graph to the folder.
func (t *take) graphCommand() string {
	flags, address := "", t.URL
	if rest, ok := strings.CutPrefix(address, insecure+"://"); ok {
		flags, address = "-k ", "https://"+rest
	}
	return "curl " + flags + "-o " + t.path(graphName) + " " + quote(address+"heapgraph")
}

// classRows returns the rows of the table that are of classes.
func (f *facts) classRows() (all []classRow) {
	for _, r := range rows {
		now, ok := f.shown(r.class)
		if !ok {
			continue
		}
		row := classRow{Style: barStyles[r.class], Name: strings.TrimSpace(r.name), Note: f.note(r.class, r.note), Part: strings.HasPrefix(r.name, " "), Now: formatSize(now)}
		if n, ok := f.change(r.class); ok {
			row.Change, row.Sign = formatChange(n), sign(n)
		}
		all = append(all, row)
	}
	return all
}

// sign returns the style of a change.
func sign(n int64) string {
	switch {
	case n > 0:
		return "more"
	case n < 0:
		return "less"
	}
	return ""
}

// card returns the card of a finding, whose names may be hostile.
func (s *reportSite) card(number int, x finding) card {
	c := card{Number: number, finding: x}
	c.Text, c.Place, c.More = printable(memsite.Ends(x.Text)), printable(memsite.Ends(x.Place)), printable(memsite.Ends(x.More))
	c.Details = nil
	for _, d := range x.Details {
		c.Details = append(c.Details, printable(memsite.Ends(d)))
	}
	if root := s.f.rootOf(x.Place); root != "" && s.graph != nil && len(root) < maxRoot {
		c.Graph = "/search?" + url.Values{"q": {"^" + regexp.QuoteMeta(root) + "$"}}.Encode()
	}
	return c
}

// maxRoot bounds the name of a root for which pages of a heap graph search.
const maxRoot = 240

// rootOf returns the name that a heap graph has for the root of a path, or "" if
// the place of a finding is code.
func (f *facts) rootOf(place string) string {
	if f.Refs == nil {
		return ""
	}
	names := strings.Split(place, pathSeparator)
	for _, root := range f.Refs.Children {
		if root.Name == stackRoot && len(names) > 1 && names[0] == stackRoot {
			return "goroutine " + names[1]
		}
		if root.Name == names[0] && root.Root != "" {
			return root.Name
		}
	}
	return ""
}
