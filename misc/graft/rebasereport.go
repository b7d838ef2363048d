// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

// This file has the report of graft rebase: what a person should read, what has
// to be done by hand, and which command comes next.

import (
	"fmt"
	"strings"
)

// reportRebase prints the report. It returns an error if edits conflict and the
// user has not asked to leave them out.
func (g *graft) reportRebase(lists []changeList, steps []step, from, to string) error {
	untouched, conflicts := 0, 0
	for i := range lists {
		r := listReport{list: &lists[i], from: from, to: to}
		for _, s := range steps {
			if s.list == lists[i].name {
				r.add(s)
			}
		}
		conflicts += r.edits
		if r.plain() {
			untouched++
			continue
		}
		g.say("\n%s", r.text())
	}
	g.say("\ngraft: %d change lists; %d apply as they are, %d edits conflict", len(lists), untouched, conflicts)
	switch {
	case conflicts == 0:
		g.say("next: ./make.bash && ./run.bash, and read what git has merged: the patches named below, and goroot/")
	case g.leaveOut:
		g.say("next: ./make.bash, make the edits above in goroot/, and graft save NAME for each change list; then ./make.bash && ./run.bash")
	default:
		g.say("nothing is changed. Next, either\n" +
			"\tgraft rebase -leave-out " + to + "\n" +
			"to move the overlay without these edits and make them again in goroot/; or, if an edit can stand\n" +
			"elsewhere, move it in goroot/ now, run graft save, and this command again.")
		return errFindings
	}
	return nil
}

// A listReport has the steps of one change list.
type listReport struct {
	list     *changeList
	from, to string
	same     int
	merged   []string // files
	there    []string // files
	clashes  []step
	edits    int // edits in conflict
}

func (r *listReport) add(s step) {
	switch s.how {
	case stepSame:
		r.same++
	case stepMerged:
		r.merged = append(r.merged, s.path)
	case stepThere:
		r.there = append(r.there, s.path)
	case stepConflict:
		r.clashes = append(r.clashes, s)
		r.edits += max(len(s.conflicts), 1)
	}
}

// plain reports whether there is nothing to say.
func (r *listReport) plain() bool { return len(r.merged)+len(r.there)+len(r.clashes) == 0 }

func (r *listReport) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", r.list.name, r.list.subject())
	if r.same > 0 {
		fmt.Fprintf(&b, "  files as they are: %d\n", r.same)
	}
	for _, name := range r.merged {
		fmt.Fprintf(&b, "  merged: %s\n", name)
	}
	for _, name := range r.there {
		fmt.Fprintf(&b, "  nothing to do: %s has all of it: %s\n", r.to, name)
	}
	for _, s := range r.clashes {
		if len(s.conflicts) == 0 {
			fmt.Fprintf(&b, "  conflict: %s: change list %s %s\n", s.path, s.list, s.why)
		}
		for _, c := range s.conflicts {
			fmt.Fprintf(&b, "  conflict: %s:%d: change list %s %s\n", s.path, c.line, s.list, s.why)
			b.WriteString(c.describe(r.to, r.from+", with the change lists before,", "change list "+s.list))
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}
