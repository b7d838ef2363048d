// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file compares two snapshots. Objects have no identity between snapshots,
// so that types and dominator paths are compared.

package main

import (
	"cmp"
	"debug/heapgraph"
	"flag"
	"fmt"
	"slices"
)

var diffCommand = &command{
	name:  "diff",
	args:  "old new",
	nargs: 2,
	short: "compare two snapshots",
	long: `Diff prints by how much the types of two snapshots differ, and then by how much
the dominator trees do, as tree prints them. The largest differences of
objects' own sizes come first; they add up to the difference of the whole.`,
	setup: func(fs *flag.FlagSet) func(*task, []string) error {
		c := new(diff)
		fs.IntVar(&c.n, "n", 20, "print at most so many `lines` of each list; 0 is no limit")
		return c.run
	},
}

// diff has the flags of the command.
type diff struct{ n int }

func (c *diff) run(t *task, args []string) error {
	old, err := t.load(args[0])
	if err != nil {
		return err
	}
	new, err := t.load(args[1])
	if err != nil {
		return err
	}
	old.printHeader()
	new.printHeader()
	fmt.Fprintf(t.out, "Live: %s in %+d objects\n", t.change(new.live.Bytes-old.live.Bytes), new.live.Objects-old.live.Objects)
	c.printTypes(t, changedGroups(old.dom.ByType(), new.dom.ByType()))
	defer t.progress.begin("comparing")()
	c.printPaths(t, heapgraph.Diff(old.dom, new.dom))
	return nil
}

// A groupChange is a group of both snapshots.
type groupChange struct {
	name              string
	shallow, retained heapgraph.Amount // differences
}

// changedGroups returns the groups that differ. Those whose own size has
// changed the most come first.
func changedGroups(old, new []heapgraph.Group) []groupChange {
	changes := make(map[string]groupChange)
	for _, g := range new {
		changes[g.Name] = groupChange{g.Name, g.Shallow, g.Retained}
	}
	for _, g := range old {
		c := changes[g.Name]
		changes[g.Name] = groupChange{g.Name, c.shallow.Sub(g.Shallow), c.retained.Sub(g.Retained)}
	}
	var list []groupChange
	for _, c := range changes {
		if c.shallow != (heapgraph.Amount{}) || c.retained != (heapgraph.Amount{}) {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b groupChange) int {
		return cmp.Or(cmp.Compare(magnitude(b.shallow), magnitude(a.shallow)),
			cmp.Compare(magnitude(b.retained), magnitude(a.retained)), cmp.Compare(a.name, b.name))
	})
	return list
}

func magnitude(a heapgraph.Amount) int64 { return max(a.Bytes, -a.Bytes) }

func (c *diff) printTypes(t *task, list []groupChange) {
	if len(list) == 0 {
		fmt.Fprintf(t.out, "\nNo type differs.\n")
		return
	}
	fmt.Fprintf(t.out, "\n%10s %10s %9s  %s\n", "shallow", "retained", "objects", "type")
	for _, x := range first(list, c.n) {
		t.printChange(x.shallow, x.retained, x.name)
	}
	t.printMore(len(list), c.n)
}

func (c *diff) printPaths(t *task, list []heapgraph.Change) {
	if len(list) == 0 {
		fmt.Fprintf(t.out, "\nNo dominator path differs.\n")
		return
	}
	fmt.Fprintf(t.out, "\n%10s %10s %9s  %s\n", "shallow", "retained", "objects", "dominator path")
	for _, x := range first(list, c.n) {
		path := "(all roots)"
		if len(x.Path) > 0 {
			path = heapgraph.JoinPath(x.Path)
		}
		t.printChange(x.Growth(), x.RetainedGrowth(), path)
	}
	t.printMore(len(list), c.n)
}

func (t *task) printChange(shallow, retained heapgraph.Amount, name string) {
	fmt.Fprintf(t.out, "%10s %10s %+9d  %s\n", t.change(shallow.Bytes), t.change(retained.Bytes), shallow.Objects, name)
}
