// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file has what the template of a report's page shows.

package main

import (
	"cmd/internal/memsite"
	"cmp"
	"fmt"
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
	Holder        string
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

func (s *reportSite) page(nodes map[string]int) *pageData {
	f := s.f
	d := &pageData{Bars: f.bars(), Change: f.changeTitle(), Goroutines: formatCount(f.goroutines()), NewGoroutines: f.newGoroutines()}
	for _, r := range rows {
		now, ok := f.now().Classes[r.class]
		if !ok {
			continue
		}
		row := classRow{Style: barStyles[r.class], Name: strings.TrimSpace(r.name), Note: r.note, Part: strings.HasPrefix(r.name, " "), Now: formatSize(now)}
		if n, ok := f.change(r.class); ok {
			row.Change, row.Sign = formatChange(n), sign(n)
		}
		d.Classes = append(d.Classes, row)
	}
	if f.Limit > 0 {
		d.Limit, d.LimitNote = formatSize(f.Limit), f.limitNote()
	}
	d.Holder = printable(memsite.Ends(f.holderText()))
	for _, m := range f.Missing {
		d.Missing = append(d.Missing, printable(memsite.Ends(m)))
	}
	if len(s.findings) == 0 {
		d.None = f.nothing()
	}
	for i, x := range s.findings {
		if i == maxCards {
			d.More = len(s.findings) - i
			break
		}
		d.Cards = append(d.Cards, s.card(i+1, x))
	}
	if s.graph == nil && f.Refs != nil && f.take.URL != "" {
		d.Snapshot = printable("curl -o " + f.take.path(graphName) + " " + quote(f.take.URL+"heapgraph"))
	}
	if s.grown != nil {
		d.Pictures = append(d.Pictures, s.grown.picture(nodes, "What came "+f.inWatch(), "The width of a box is what came at a path, without what went there."))
	}
	if s.held != nil {
		d.Pictures = append(d.Pictures, s.held.picture(nodes, "What is held now", "The width of a box is what is found alive through a path."))
	}
	return d
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
	c.Text, c.Place, c.More = printable(memsite.Ends(x.Text)), printable(memsite.Ends(x.Place)), printable(x.More)
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

// A bar has the parts of the resident size at a moment.
type bar struct {
	Name, Size string
	Parts      []barPart
}

// A barPart is a class in a bar.
type barPart struct {
	Style, Title string
	X, Width     string // percent
}

// barStyles are the classes of the colors of classes that are parts of the
// resident size.
var barStyles = map[class]string{
	objects: "c0", live: "c0", recent: "c2", fragmented: "c3", free: "root", stacks: "c5", structures: "c4", foreign: "c6",
}

// A namedMoment is a moment with the name of its bar.
type namedMoment struct {
	name string
	moment
}

// bars returns a bar for each moment that the table is about. The longest is as
// wide as the picture.
func (f *facts) bars() (all []bar) {
	moments := []namedMoment{{"now", f.now()}}
	switch {
	case f.Compare:
		moments = []namedMoment{{"base", f.firstWatched()}, {"now", f.now()}}
	case !f.once():
		moments = []namedMoment{{"when the watch began", f.firstWatched()}, {"now, before the last collection", f.now()}, {"after it", f.lastWatched()}}
	}
	var longest int64
	for _, x := range moments {
		longest = max(longest, barSum(x.moment))
	}
	for _, x := range moments {
		b := bar{Name: x.name, Size: formatSize(barSum(x.moment))}
		at := 0.0
		for _, c := range classes {
			n := x.Classes[c]
			if barStyles[c] == "" || n <= 0 {
				continue
			}
			width := 100 * float64(n) / float64(longest)
			b.Parts = append(b.Parts, barPart{barStyles[c], fmt.Sprintf("%s: %s", c, formatSize(n)), fmt.Sprintf("%.2f%%", at), fmt.Sprintf("%.2f%%", width)})
			at += width
		}
		all = append(all, b)
	}
	return all
}

// barSum returns the sum of the parts of a bar.
func barSum(m moment) (sum int64) {
	for c, n := range m.Classes {
		if barStyles[c] != "" {
			sum += max(0, n)
		}
	}
	return cmp.Or(sum, 1)
}
