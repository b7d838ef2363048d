// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file compares two snapshots. It compares types and dominator paths,
// because objects have no identity between snapshots.

package main

import (
	"cmd/internal/memsite"
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
their dominator trees differ. The trees are those that tree prints. The largest
differences of objects' own sizes come first.`,
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
	t.printf("Live: %s in %+d objects\n", t.change(new.live.Bytes-old.live.Bytes), new.live.Objects-old.live.Objects)
	c.print(t, "type", changedGroups(old.programTypes(), new.programTypes()))
	defer t.progress.begin("comparing")()
	c.print(t, "dominator path", changedPaths(old.dom, new.dom))
	return nil
}

// A change is the difference of a type or a dominator path.
type change struct {
	Name              string
	Path              []string // for a dominator path: its elements
	Shallow, Retained heapgraph.Amount
}

// changedGroups returns the groups that differ. Those whose own size has
// changed the most come first.
func changedGroups(old, new []heapgraph.Group) []change {
	changes := make(map[string]change)
	for _, g := range new {
		changes[g.Name] = change{Name: g.Name, Shallow: g.Shallow, Retained: g.Retained}
	}
	for _, g := range old {
		c := changes[g.Name]
		changes[g.Name] = change{Name: g.Name, Shallow: c.Shallow.Sub(g.Shallow), Retained: c.Retained.Sub(g.Retained)}
	}
	var list []change
	for _, c := range changes {
		if c.Shallow != (heapgraph.Amount{}) || c.Retained != (heapgraph.Amount{}) {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, requestLast(func(a, b change) int {
		return cmp.Or(cmp.Compare(magnitude(b.Shallow), magnitude(a.Shallow)),
			cmp.Compare(magnitude(b.Retained), magnitude(a.Retained)), cmp.Compare(a.Name, b.Name))
	}))
	return list
}

func magnitude(a heapgraph.Amount) int64 { return max(a.Bytes, -a.Bytes) }

// changedPaths returns the dominator paths that differ. Those whose own size
// has changed the most come first.
func changedPaths(old, new *heapgraph.Dominators) []change {
	var list []change
	left := 64 << 20 // bytes of names; after that, names are only the last elements of paths
	for _, x := range heapgraph.Diff(old, new) {
		name := "(all roots)"
		if n := len(x.Path); n > 0 && left > 0 {
			name = heapgraph.JoinPath(x.Path)
			left -= len(name)
		} else if n > 0 {
			name = heapgraph.JoinPath([]string{fmt.Sprintf("(%d more)", n-1), memsite.Cut(x.Path[n-1])})
		}
		list = append(list, change{name, x.Path, x.Growth(), x.RetainedGrowth()})
	}
	return foldRequest(list)
}

// print prints changes of a kind.
func (c *diff) print(t *task, kind string, list []change) {
	if len(list) == 0 {
		t.printf("\nNo %s differs.\n", kind)
		return
	}
	t.printf("\n%10s %10s %9s  %s\n", "shallow", "retained", "objects", kind)
	line := func(x *change) {
		t.printf("%10s %10s %+9d  %s\n", t.change(x.Shallow.Bytes), t.change(x.Retained.Bytes), x.Shallow.Objects, x.Name)
	}
	var request *change
	if last := &list[len(list)-1]; last.isRequest() == 1 {
		request, list = last, list[:len(list)-1]
	}
	for i := range first(list, c.n) {
		line(&list[i])
	}
	t.printMore(len(list), c.n)
	if request != nil {
		line(request)
	}
}
