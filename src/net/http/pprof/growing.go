// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file finds which paths have grown between two profiles of references.
// Only objects that existed at both recordings, or were allocated between them,
// count: not what was allocated while one of them marked, most of which is
// garbage, and not what the requests themselves hold.

package pprof

import (
	"cmp"
	"fmt"
	"internal/profile"
	"internal/refpath"
	"slices"
	"strings"
)

// A growing has the memory of the paths of two profiles, and says which
// have grown. The paths have neither roots nor labels, so that a leak whose
// objects have many labels is one path.
type growing struct {
	tree   textTree
	paths  []grownPath // by number of the path
	olds   int64       // age of objects that existed at the first recording, or 0 if it is not known
	stacks bool        // the profiles have the call stacks that allocated
}

// A memory is a number of objects and their bytes.
type memory struct{ objects, bytes int64 }

func (m *memory) add(s *profile.Sample) {
	m.objects += s.Value[0]
	m.bytes += s.Value[1]
}

func (m memory) minus(x memory) memory { return memory{m.objects - x.objects, m.bytes - x.bytes} }

// A grownPath has the memory of a path at both recordings. fresh is the part of
// is that was allocated between them.
type grownPath struct {
	path           int32
	was, is, fresh memory
}

func (x *grownPath) growth() memory { return x.is.minus(x.was) }

// flow returns what came to the path between the recordings, and what went.
// Objects that came from another path and existed before are among those that
// came, if they are more than those that went.
func (x *grownPath) flow() (came, went memory) {
	went = x.was.minus(x.is.minus(x.fresh))
	less := memory{min(went.objects, 0), min(went.bytes, 0)}
	return x.fresh.minus(less), went.minus(less)
}

// hasPaths has the profiles of references.
var hasPaths = map[handler]bool{"refs": true, "inuse": true}

// newGrowing returns the paths of two profiles with a name, of which p1 is the
// later one, or nil if text is false. It removes from both what was allocated
// during a recording, and says so in a comment of p1. It does nothing with other
// profiles than those of references.
func newGrowing(name handler, p0, p1 *profile.Profile, text bool) *growing {
	if !hasPaths[name] {
		return nil
	}
	if garbage := dropAllocated(p1) - dropAllocated(p0); garbage != 0 {
		p1.Comments = append(p1.Comments, fmt.Sprintf("left out, because it is new and not growth: %+d bytes (allocated during GC)", garbage))
	}
	if !text {
		return nil
	}
	g := &growing{paths: make([]grownPath, 1), olds: oldAge(p0, p1), stacks: name == "inuse"}
	for _, s := range p0.Sample {
		if x := g.at(s); x != nil {
			x.was.add(s)
		}
	}
	for _, s := range p1.Sample {
		x := g.at(s)
		if x == nil {
			continue
		}
		x.is.add(s)
		if age := s.NumLabel["age"]; len(age) > 0 && age[0] < g.olds {
			x.fresh.add(s)
		}
	}
	return g
}

// dropAllocated removes what was allocated while a recording marked from p, and
// returns its bytes.
func dropAllocated(p *profile.Profile) (bytes int64) {
	p.Sample = slices.DeleteFunc(p.Sample, func(s *profile.Sample) bool {
		if !slices.Contains(s.Label["root"], "allocated") || len(s.Value) < 2 {
			return false
		}
		bytes += s.Value[1]
		return true
	})
	return bytes
}

// oldAge returns the age, in p1, from which on objects existed when p0 was
// recorded. It returns 0 if ages do not tell, because another profile with ages
// was recorded in between.
func oldAge(p0, p1 *profile.Profile) int64 {
	first, last := recordingCycle(p0), recordingCycle(p1)
	const before = "GC cycle %d: the inuse profile before is of GC cycle %d"
	for _, c := range p1.Comments {
		if first > 0 && c == fmt.Sprintf(before, last, first) {
			return last - first + 1
		}
	}
	return 0
}

// recordingCycle returns the number of the collection that recorded p, or 0.
func recordingCycle(p *profile.Profile) (cycle int64) {
	if len(p.Comments) > 0 {
		fmt.Sscanf(p.Comments[0], "GC cycle %d:", &cycle)
	}
	return cycle
}

// at returns the path of a sample, or nil if the sample is the request's.
func (g *growing) at(s *profile.Sample) *grownPath {
	if len(s.Value) < 2 || isThisRequest(s) {
		return nil
	}
	n := int32(0)
	if text := s.Label["retained_by"]; len(text) > 0 {
		n = g.child(0, text[0])
	} else {
		for _, l := range slices.Backward(s.Location) {
			if text := locationText(l); text != "(stack)" {
				n = g.child(n, text)
			}
		}
	}
	return &g.paths[n]
}

// child returns the number of the path that extends path n by an element.
func (g *growing) child(n int32, text string) int32 {
	n = g.tree.child(n, text)
	for int(n) >= len(g.paths) {
		g.paths = append(g.paths, grownPath{path: int32(len(g.paths))})
	}
	return n
}

func isThisRequest(s *profile.Sample) bool {
	return slices.Contains(s.Label["root"], refpath.ThisRequest)
}

// text returns the elements of a path.
func (g *growing) text(path int32) string {
	var elems []string
	for path > 0 {
		elem, parent := g.tree.Last(path)
		elems, path = append(elems, g.tree.texts[elem]), parent
	}
	slices.Reverse(elems)
	return strings.Join(elems, " > ")
}

// sorted returns the paths that have grown, the largest growth first, and the
// change and the number of those that have shrunk.
func (g *growing) sorted() (grown []*grownPath, shrunk memory, n int) {
	for i := range g.paths {
		x := &g.paths[i]
		switch d := x.growth(); {
		case d.bytes > 0:
			grown = append(grown, x)
		case d != memory{}:
			n++
			shrunk = memory{shrunk.objects + d.objects, shrunk.bytes + d.bytes}
		}
	}
	slices.SortFunc(grown, func(a, b *grownPath) int {
		return cmp.Or(cmp.Compare(b.growth().bytes, a.growth().bytes), cmp.Compare(b.growth().objects, a.growth().objects), cmp.Compare(a.path, b.path))
	})
	return grown, shrunk, n
}
