// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file reads the live heap: paths of references from the profile refs, and
// call stacks from inuse or, of a server without it, from heap.

package main

import (
	"fmt"
	"internal/refpath"
	"slices"
	"strings"

	"github.com/google/pprof/profile"
)

// pathSeparator stands between the elements of the label retained_by.
const pathSeparator = " > "

// stackRoot is the element above all goroutines.
const stackRoot = "(stack)"

// addRefs adds the paths of two profiles, of which the first may be nil.
func (f *facts) addRefs(before, after *profile.Profile) {
	if after == nil {
		return
	}
	f.Refs = new(element)
	if before != nil {
		f.Refs.add(before, -1)
	}
	f.Refs.add(after, 1)
	f.Refs.settle()
	f.Refs.sort()
	if before == nil {
		f.Refs.each(func(e *element) { e.NewBytes, e.NewCount = 0, 0 })
	}
	f.Refs.leavePools()
}

// add adds the samples of a profile to the tree below e: changes with a sign,
// and what there is at the end only with +1.
func (e *element) add(p *profile.Profile, sign int64) {
	size, count := sampleValue(p, "live_space"), sampleValue(p, "live_objects")
	unused, scan := sampleValue(p, "unused_space"), sampleValue(p, "scan_space")
	index := make(map[*element]map[string]*element)
	for _, s := range p.Sample {
		path := frames(s)
		at := e
		at.count(size(s), count(s), unused(s), scan(s), sign)
		for i := len(path) - 1; i >= 0; i-- {
			at = at.child(index, path[i].function, label(s, "root"))
			at.count(size(s), count(s), unused(s), scan(s), sign)
		}
	}
}

func (e *element) count(bytes, objects, unused, scan, sign int64) {
	e.NewBytes += sign * bytes
	e.NewCount += sign * objects
	if sign > 0 {
		e.Bytes += bytes
		e.Objects += objects
		e.Unused += unused
		e.Scan += scan
	}
}

// child returns the element with a name below e. The index is made as elements
// are used.
func (e *element) child(index map[*element]map[string]*element, name, root string) *element {
	m := index[e]
	if m == nil {
		m = make(map[string]*element)
		for _, c := range e.Children {
			m[c.Name] = c
		}
		index[e] = m
	}
	c := m[name]
	if c == nil {
		c = &element{Name: name, Root: root}
		m[name] = c
		e.Children = append(e.Children, c)
	}
	return c
}

func (e *element) sort() {
	largest(e.Children, func(c *element) int64 { return max(c.Bytes, c.NewBytes) }, func(c *element) string { return c.Name })
	for _, c := range e.Children {
		c.sort()
	}
}

func (e *element) each(do func(*element)) {
	do(e)
	for _, c := range e.Children {
		c.each(do)
	}
}

// explanations are kinds of roots that hold nothing for the program: what the
// profile could not follow, and its own request.
var explanations = set("allocated barrier lost")

// isExplanation reports whether a root is the profile's own explanation, such
// as (write barrier). A root such as (timer) F does hold what is below it.
func (e *element) isExplanation() bool { return explanations[e.Root] || e.Name == refpath.ThisRequest }

// leavePools takes what came to pools from the changes of the elements above
// them, and returns it. A pool that grows is no leak, because collections free
// what nothing takes.
func (e *element) leavePools() (bytes, objects int64) {
	if e.isPool() {
		return e.NewBytes, e.NewCount
	}
	for _, c := range e.Children {
		b, n := c.leavePools()
		bytes += b
		objects += n
	}
	e.NewBytes -= bytes
	e.NewCount -= objects
	return bytes, objects
}

// containerParts are the ends of the names of a container's parts.
var containerParts = []string{"[value]", "[elem]", "[key]", "[table]", "[buffer]"}

// isContainer reports whether e is where a map, a slice or a channel holds many
// objects.
func (e *element) isContainer() bool { return e.containerOf(containerParts) != "" }

// containerOf returns the type of the container of which e is one of some
// parts, or "". A dynamic type may follow the part. In a field, such as
// “main.T.m map[key]int” in a package with a type key, the type is no part.
func (e *element) containerOf(parts []string) string {
	isType := slices.ContainsFunc([]string{"map[", "[", "*", "chan ", "<-chan "}, func(s string) bool { return strings.HasPrefix(e.Name, s) })
	if !isType && function(e.Name) != e.Name {
		return ""
	}
	for _, part := range parts {
		if i := strings.LastIndex(e.Name, part); i > 0 && (i+len(part) == len(e.Name) || e.Name[i+len(part)] == '(') {
			return e.Name[:i]
		}
	}
	return ""
}

// addSites adds the call stacks of the live heap, and what they have allocated
// since the watch began or, of two takes, by how much they differ.
func (f *facts) addSites(base, t *take) {
	before, after, first := base.profile("inuse.2.pb.gz"), t.profile("inuse.2.pb.gz"), t.profile("refs.1.pb.gz")
	switch {
	case after == nil:
		f.addHeapSites(base, t)
		return
	case base == t && first != nil:
		before = older(after, cycle(after)-cycle(first))
	case base == t:
		before = nil
	}
	f.setSites(before, after, before != nil || base == t)
}

// setSites sets the call stacks, whose changes may not be known.
func (f *facts) setSites(before, after *profile.Profile, changes bool) {
	f.Sites = siteChanges(before, after, "inuse_space")
	if changes {
		return
	}
	for i := range f.Sites {
		f.Sites[i].NewBytes = 0
	}
	largest(f.Sites, func(s site) int64 { return s.Bytes }, func(s site) string { return s.Code })
}

// addHeapSites adds the call stacks of servers without the profile inuse.
func (f *facts) addHeapSites(base, t *take) {
	first := "heap.1.pb.gz"
	if base != t {
		first = base.last("heap")
	}
	before, after := base.profile(first), t.profile(t.last("heap"))
	if after == nil || before == nil && base != t {
		return
	}
	f.SiteRate = after.Period
	f.setSites(before, after, before != nil)
}

// cycle returns the number of the collection that recorded a profile, or 0.
func cycle(p *profile.Profile) (n int64) {
	for _, comment := range p.Comments {
		if k, _ := fmt.Sscanf(comment, "GC cycle %d:", &n); k == 1 {
			return n
		}
	}
	return 0
}

// older returns the samples of objects that may have survived more collections than
// that. Ages are rounded down to powers of two: one of 4 may be 7. If all these
// counted as new, what a server has made at its start would.
func older(p *profile.Profile, collections int64) *profile.Profile {
	old := &profile.Profile{SampleType: p.SampleType}
	for _, s := range p.Sample {
		if age := s.NumLabel["age"]; len(age) > 0 && 2*age[0]-1 > collections {
			old.Sample = append(old.Sample, s)
		}
	}
	return old
}

// siteChanges returns the values of two profiles by path and line.
func siteChanges(before, after *profile.Profile, sampleType string) []site {
	return changesBy(before, after, sampleType, func(all []frame) string {
		own, _ := ownFrame(all)
		return own.String()
	})
}

// changesBy is siteChanges, with the name of the code in a call stack as codeOf
// returns it.
func changesBy(before, after *profile.Profile, sampleType string, codeOf func([]frame) string) []site {
	type key struct{ path, code string }
	sums := make(map[key]*site)
	add := func(p *profile.Profile, sign int64) {
		if p == nil {
			return
		}
		value := sampleValue(p, sampleType)
		for _, s := range p.Sample {
			k := key{label(s, "retained_by"), codeOf(frames(s))}
			x := sums[k]
			if x == nil {
				x = &site{Path: k.path, Code: k.code}
				sums[k] = x
			}
			x.NewBytes += sign * value(s)
			if sign > 0 {
				x.Bytes += value(s)
			}
		}
	}
	add(before, -1)
	add(after, 1)
	var all []site
	for _, x := range sums {
		if x.Bytes != 0 || x.NewBytes != 0 {
			all = append(all, *x)
		}
	}
	largest(all, func(s site) int64 { return s.NewBytes }, func(s site) string { return s.Code + s.Path })
	return all
}

// allocatedBy returns the code that allocated the most of what came below a
// path, or "". If inuse found nothing there, because the goroutine that holds it
// had moved on, it is what came below the same reference.
func (f *facts) allocatedBy(path string) string {
	path = strings.TrimPrefix(path, stackRoot+pathSeparator)
	code := f.mostNew(isBelow(path))
	if last := strings.LastIndex(path, pathSeparator); code == "" && last >= 0 {
		code = f.mostNew(func(at string) bool { return strings.Contains(pathSeparator+at, path[last:]+pathSeparator) })
	}
	return code
}

// allocators has the lines about the code that allocated the most of what came
// below a path and, if that is not the program's own, before it the most of the
// program's, which is where to change something.
func (f *facts) allocators(path, code string) (lines []string) {
	if code == "" {
		return nil
	}
	lines = []string{allocatedBy + code}
	if f.isOwn(code) {
		return lines
	}
	var whole, part int64
	own := f.most(isBelow(path), func(s site) int64 {
		whole += s.NewBytes
		if !f.isOwn(s.Code) {
			return 0
		}
		part += s.NewBytes
		return s.NewBytes
	})
	if own != "" && float64(part) >= growthShare*float64(whole) {
		lines = slices.Insert(lines, 0, partlyBy+own)
	}
	return lines
}

// isBelow returns a function that reports whether a path of f.most is below
// another one.
func isBelow(path string) func(at string) bool {
	path = strings.TrimPrefix(path, stackRoot+pathSeparator) + pathSeparator
	return func(at string) bool { return strings.HasPrefix(at, path) }
}

// mostBelow returns the code that allocated the most of what is below a path,
// or "".
func (f *facts) mostBelow(path string) string {
	return f.most(isBelow(path), func(s site) int64 { return s.Bytes })
}

// mostNew returns the code that allocated the most of what came at certain
// paths.
func (f *facts) mostNew(isAt func(path string) bool) string {
	return f.most(isAt, func(s site) int64 { return s.NewBytes })
}

// most returns the code with the largest value at certain paths, each of which
// ends with a separator.
func (f *facts) most(isAt func(path string) bool, value func(site) int64) (best string) {
	sums := make(map[string]int64)
	for _, s := range f.Sites {
		if isAt(strings.TrimPrefix(s.Path, stackRoot+pathSeparator) + pathSeparator) {
			sums[s.Code] += value(s)
		}
	}
	for code, n := range sums {
		if n > 0 && (best == "" || n > sums[best] || n == sums[best] && code < best) {
			best = code
		}
	}
	return best
}
