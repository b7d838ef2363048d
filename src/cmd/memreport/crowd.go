// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// More and more goroutines are one leak, with what comes with each of them: its
// record in the runtime's list, and what it holds.

package main

import (
	"fmt"
	"slices"
	"strings"
)

// goroutineLists are the variables of the runtime that list goroutines and, of
// servers without the profile refs, the functions that allocate for them.
var goroutineLists = set("runtime.allgptr runtime.allgs runtime.allgadd runtime.malg")

// threadLists are the variables of the runtime below which its records of threads
// are found, because a P refers to its last thread. A goroutine that locks its thread
// brings a thread.
var threadLists = set("runtime.allp runtime.allm")

// heldFor has parts of paths whose objects belong to goroutines that begin in a
// function: a server's list of connections has what the goroutine of each holds.
var heldFor = []struct{ part, start string }{
	{"net/http.Server.activeConn ", "net/http.(*conn).serve"},
}

// New goroutines have brought what came if there are so many objects for each of
// them, on average. More are those of a few that were there before.
const (
	broughtLeast = 0.5
	broughtMost  = 1000
	listedMost   = 2  // in the runtime's list
	threadMost   = 16 // in that of threads
)

// joinGoroutines makes what came with goroutines details of the findings about
// them.
func joinGoroutines(all []finding) []finding {
	return joinTo(all, broughtBy, func(y *finding, x finding) {
		y.Bytes += x.Bytes
		y.Details = append(y.Details, x.brought()...)
	})
}

// broughtBy returns the finding about the goroutines that have brought what x is
// about, or nil.
func broughtBy(all []finding, x finding) (most *finding) {
	if x.Kind != "live-growth" {
		return nil
	}
	root, _, _ := strings.Cut(x.Place, pathSeparator)
	list, threads := goroutineLists[function(root)], threadLists[root]
	for i := range all {
		y := &all[i]
		if !strings.HasPrefix(y.Kind, "goroutines-") || y.came < moreLeast || most != nil && y.came <= most.came {
			continue
		}
		each := float64(x.came) / float64(y.came)
		if list && each <= listedMost || threads && each <= threadMost || y.beginsWith(x) && each >= broughtLeast && each <= broughtMost {
			most = y
		}
	}
	return most
}

// beginsWith reports whether x is about what goroutines of y hold.
func (y *finding) beginsWith(x finding) bool {
	for _, h := range heldFor {
		if strings.Contains(x.Place, h.part) && slices.Contains(y.starts, h.start) {
			return true
		}
	}
	return len(x.starts) == 1 && slices.Contains(y.starts, x.starts[0])
}

// brought has the lines about x in a finding about goroutines.
func (x finding) brought() (lines []string) {
	in := ""
	if x.came > 0 {
		in = " in " + plural(x.came, "object")
	}
	place := x.Place
	if len(x.starts) == 1 {
		if _, below, ok := strings.Cut(place, pathSeparator+x.starts[0]+pathSeparator); ok {
			place = below
		}
	}
	lines = append(lines, fmt.Sprintf("with them came %s%s: %s", formatSize(x.Bytes), in, place))
	for _, d := range x.Details {
		if slices.ContainsFunc([]string{mostOfIt, allocatedBy, partlyBy, unusedThere}, func(s string) bool { return strings.HasPrefix(d, s) }) {
			lines = append(lines, d)
		}
	}
	return lines
}
