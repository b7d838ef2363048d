// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file writes the difference of two profiles of references as text. First
// come the paths that have grown, which are what a reader looks for. For
// inuse, each has what came and went, and the call stacks that allocated what
// grew. For refs, a tree of all changes follows.

package pprof

import (
	"bufio"
	"cmp"
	"fmt"
	"internal/profile"
	"internal/refpath"
	"net/http"
	"slices"
	"time"
)

// Limits of the text.
const (
	mostGrown  = 20 // paths
	mostStacks = 3  // call stacks of a path
)

// serve writes p, the difference of two profiles with a name.
func (g *growing) serve(w http.ResponseWriter, name handler, p *profile.Profile) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	b := bufio.NewWriter(w)
	var all, request memory
	for _, s := range p.Sample {
		if len(s.Value) < 2 {
			continue
		}
		all.add(s)
		if isThisRequest(s) {
			request.add(s)
		}
	}
	fmt.Fprintf(b, "%s difference over %v: %+d bytes in %+d objects\n", name, time.Duration(p.DurationNanos).Round(time.Millisecond), all.bytes, all.objects)
	for _, c := range p.Comments {
		fmt.Fprintf(b, "# %s\n", c)
	}
	switch {
	case !g.stacks:
		fmt.Fprintf(b, "# inuse in place of refs says what came and went, and which code allocated it\n")
	case g.olds == 0:
		fmt.Fprintf(b, "# what came and went is not known, because another inuse profile was taken in between\n")
	}
	g.write(b, p)
	if g.stacks {
		writeChange(b, request, refpath.ThisRequest)
		b.Flush()
		return
	}
	tree, _, _ := pathTree(p)
	tree.write(b, refpath.Delta, nil)
}

// write writes the paths that have grown.
func (g *growing) write(b *bufio.Writer, p *profile.Profile) {
	grown, shrunk, n := g.sorted()
	if len(grown) == 0 {
		fmt.Fprintf(b, "\nNo path has grown.\n")
	} else {
		fmt.Fprintf(b, "\n%14s %11s %14s %11s %10s  path that has grown\n", "bytes", "objects", "bytes now", "objects now", "mean")
	}
	shown := grown[:min(len(grown), mostGrown)]
	stacks := g.allocated(p, shown)
	for _, x := range shown {
		d := x.growth()
		fmt.Fprintf(b, "%+14d %+11d %14d %11d %10d  %s\n", d.bytes, d.objects, x.is.bytes, x.is.objects, x.is.bytes/max(x.is.objects, 1), g.text(x.path))
		if g.olds > 0 {
			came, went := x.flow()
			fmt.Fprintf(b, "%14s came: %d bytes in %d objects, went: %d bytes in %d objects\n", "", came.bytes, came.objects, went.bytes, went.objects)
		}
		for _, s := range stacks[x.path] {
			s.write(b)
		}
	}
	var rest memory
	for _, x := range grown[len(shown):] {
		d := x.growth()
		rest = memory{rest.objects + d.objects, rest.bytes + d.bytes}
	}
	if len(grown) > len(shown) {
		writeChange(b, rest, fmt.Sprintf("(%d more)", len(grown)-len(shown)))
	}
	if g.stacks && n > 0 {
		writeChange(b, shrunk, fmt.Sprintf("(%d that have shrunk)", n))
	}
}

// writeChange writes a line of several paths, unless nothing has changed.
func writeChange(b *bufio.Writer, m memory, text string) {
	if m != (memory{}) {
		fmt.Fprintf(b, "%+14d %+11d %38s%s\n", m.bytes, m.objects, "", text)
	}
}

// A grownStack is the growth of the objects that a call stack has allocated.
type grownStack struct {
	memory
	calls string // a line for each call, the innermost first
}

func (s *grownStack) write(b *bufio.Writer) {
	fmt.Fprintf(b, "%14s %+d bytes in %+d objects were allocated by\n%s", "", s.bytes, s.objects, s.calls)
}

// allocated returns, for the paths shown, the call stacks whose objects have
// grown the most. p is the difference of the profiles.
func (g *growing) allocated(p *profile.Profile, shown []*grownPath) map[int32][]*grownStack {
	lists := make(map[int32][]*grownStack)
	if !g.stacks {
		return lists
	}
	stacks := make(map[int32]map[string]*grownStack)
	for _, x := range shown {
		stacks[x.path] = make(map[string]*grownStack)
	}
	for _, s := range p.Sample {
		x := g.at(s)
		if x == nil || stacks[x.path] == nil {
			continue
		}
		calls := callLines(s)
		stack := stacks[x.path][calls]
		if stack == nil {
			stack = &grownStack{calls: calls}
			stacks[x.path][calls] = stack
		}
		stack.add(s)
	}
	for path, all := range stacks {
		var list []*grownStack
		for _, s := range all {
			if s.bytes > 0 {
				list = append(list, s)
			}
		}
		slices.SortFunc(list, func(a, b *grownStack) int {
			return cmp.Or(cmp.Compare(b.bytes, a.bytes), cmp.Compare(a.calls, b.calls))
		})
		lists[path] = list[:min(len(list), mostStacks)]
	}
	return lists
}

// callLines returns a line for each call of a sample's stack.
func callLines(s *profile.Sample) string {
	var b []byte
	for _, l := range s.Location {
		for _, line := range l.Line {
			b = fmt.Appendf(b, "%18s %s %s:%d\n", "", line.Function.Name, line.Function.Filename, line.Line)
		}
	}
	return string(b)
}
