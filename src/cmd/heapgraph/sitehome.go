// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file makes the first page: the properties of the snapshot, the places
// where memory accumulates, and the types and roots that retain the most.

package main

import (
	"debug/heapgraph"
	"net/http"
)

// topRows is the largest number of rows of most lists on a page that has
// several lists.
const topRows = 10

// A homeData has the data of the first page.
type homeData struct {
	Live                     heapgraph.Amount
	First, Second, Unreached heapgraph.Amount // parts of Live
	References               int64
	Roots                    int
	Notes                    []string
	Truncated                bool
	Suspects                 []suspectData
	NoSuspects               string // reason why there are none
	Outsiders                []heapgraph.Outside
	Types, TopRoots          []heapgraph.Group
}

// A suspectData is a suspect.
type suspectData struct {
	Amount      string
	Place, Link string
	Rows        []row // rows of the dominators
	Accumulated []heapgraph.Group
	More        int // number of groups that are not in Accumulated
	Cycle       *shownCycle
}

func (x *site) home(*http.Request) (*view, error) {
	s := x.s
	from, to := s.Roots()
	d := &homeData{
		Live: s.live, First: s.reach.First, Second: s.reach.Second, Unreached: s.dom.Unreached(),
		References: s.NumReferences(), Roots: int(to - from),
		Notes: s.notes(), Truncated: s.Truncated != "",
		Types: first(x.groups["type"](), topRows), TopRoots: first(x.groups["root"](), topRows),
	}
	list, err := x.suspects()
	if err != nil {
		d.NoSuspects = sentence(message(err))
	} else if len(list) == 0 {
		d.NoSuspects = noSuspects
	}
	if err == nil {
		d.Outsiders = first(x.outsiders(), topRows)
	}
	for i := range list {
		d.Suspects = append(d.Suspects, s.suspectData(&list[i]))
	}
	return &view{template: "home", title: "Leak suspects", data: d}, nil
}

func (s *snapshot) suspectData(x *heapgraph.Suspect) suspectData {
	place, accumulated := s.suspect(x)
	d := suspectData{Amount: s.amount(x.Retained), Place: place, Link: objectsLink(x.Class)}
	if x.Vertex != heapgraph.All {
		d.Link = s.link(x.Vertex)
		d.Rows = s.dominatorRows(x.Path)
	}
	d.Accumulated = first(accumulated, topRows)
	d.More = len(accumulated) - len(d.Accumulated)
	d.Cycle = s.suspectCycle(x)
	return d
}
