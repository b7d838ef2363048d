// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package core

import (
	"cmp"
	"fmt"
	"internal/heapgraph"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// A graph is a heap graph whose objects are named by their addresses.
type graph struct {
	meta    map[string]string
	objects map[uint64]graphObject
	refs    map[heapgraph.Pair]bool
	roots   map[rootRef]bool
	spans   []heapgraph.Span
	sums    map[string]heapgraph.Sum // by path, without the node
}

type graphObject struct {
	size uint64 // in words
	typ  string
	path string
	hull heapgraph.Hull
}

// A rootRef is a reference from a root, with the place of the reference.
type rootRef struct {
	root, path string
	target     uint64
}

// readGraph reads the file with a name.
func readGraph(t testing.TB, name string) *graph {
	t.Helper()
	o, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	info, err := o.Stat()
	if err != nil {
		t.Fatal(err)
	}
	f, err := heapgraph.Open(o, info.Size())
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	g := &graph{meta: make(map[string]string), objects: make(map[uint64]graphObject), refs: make(map[heapgraph.Pair]bool), roots: make(map[rootRef]bool), sums: make(map[string]heapgraph.Sum)}
	strs, types, nodes := []string{""}, []heapgraph.Type{{}}, []heapgraph.Node{{}}
	goroutines := []heapgraph.Goroutine{{}}
	var claims []heapgraph.Pair
	var rootRefs []heapgraph.RootRef
	var specials, owners []heapgraph.Special
	var sums []heapgraph.Sum
	creators := make(map[uint64]heapgraph.Creator)
	hulls := make(map[uint64]heapgraph.Hull)
	var l heapgraph.Loader
	for i := range f.Sections {
		d, err := l.Load(f, i)
		if err != nil {
			t.Fatal(err)
		}
		for d.More() {
			switch d.Kind() {
			case heapgraph.KindMeta:
				k, v := d.Meta()
				g.meta[k] = v
			case heapgraph.KindStrings:
				strs = append(strs, d.String())
			case heapgraph.KindTypes:
				types = append(types, d.Type())
			case heapgraph.KindNodes:
				nodes = append(nodes, d.Node(uint64(len(nodes))))
			case heapgraph.KindSpans:
				g.spans = append(g.spans, d.Span())
			case heapgraph.KindRefs, heapgraph.KindClaims:
				pairs := make([]heapgraph.Pair, 1<<10)
				for _, p := range pairs[:d.Pairs(pairs)] {
					if d.Kind() == heapgraph.KindClaims {
						claims = append(claims, p)
					} else {
						g.refs[p] = true
					}
				}
			case heapgraph.KindRootRefs:
				rootRefs = append(rootRefs, d.RootRef())
			case heapgraph.KindSpecials:
				specials = append(specials, d.Special())
			case heapgraph.KindOwners:
				owners = append(owners, d.Special())
			case heapgraph.KindHulls:
				h := d.Hull()
				hulls[h.Object] = h
			case heapgraph.KindSums:
				sums = append(sums, d.Sum())
			case heapgraph.KindWaits:
				d.Wait() // a core file has none
			case heapgraph.KindCreators:
				c := d.Creator()
				creators[c.Goroutine] = c
			case heapgraph.KindGoroutines:
				goroutines = append(goroutines, d.Goroutine())
			}
		}
		if err := d.Err(); err != nil {
			t.Fatal(err)
		}
	}
	paths := make([]string, len(nodes))
	for i := 1; i < len(nodes); i++ {
		paths[i] = paths[nodes[i].Parent]
		if e := strs[nodes[i].Element]; e != "" {
			paths[i] += " > " + e
		}
	}
	for _, s := range sums {
		sum := g.sums[paths[s.Node]]
		g.sums[paths[s.Node]] = heapgraph.Sum{Scan: sum.Scan + s.Scan, Unused: sum.Unused + s.Unused}
	}
	slices.SortFunc(g.spans, func(a, b heapgraph.Span) int { return cmp.Compare(a.Start, b.Start) })
	for _, c := range claims {
		n := nodes[c.Value]
		g.objects[c.Addr] = graphObject{size: g.size(c.Addr), path: paths[c.Value],
			typ: strs[types[n.Type].Name] + " " + strs[n.Text], hull: hulls[c.Addr]}
	}
	for _, r := range rootRefs {
		root := strings.Split(paths[r.Node]+" > ", " > ")[1]
		if r.Goroutine != 0 {
			c := creators[r.Goroutine]
			root = fmt.Sprintf("goroutine %s, created by %s at %s:%d", strs[goroutines[r.Goroutine].Func], strs[c.Func], strs[c.File], c.Line)
		}
		g.roots[rootRef{root, paths[r.Node], r.Target}] = true
	}
	for _, s := range specials {
		g.roots[rootRef{fmt.Sprintf("special of %#x", s.Object), paths[s.Node], s.Target}] = true
	}
	for _, s := range owners {
		if n := types[nodes[s.Node].Type]; n.Size != 0 { // the runtime's objects without a type change all the time
			g.roots[rootRef{fmt.Sprintf("owner %#x", s.Object), paths[s.Node], s.Target}] = true
		}
	}
	return g
}

// size returns the size of the object at an address, in words.
func (g *graph) size(addr uint64) uint64 {
	i, ok := slices.BinarySearchFunc(g.spans, addr, func(s heapgraph.Span, addr uint64) int { return cmp.Compare(s.Start, addr) })
	if !ok {
		i--
	}
	if i < 0 || addr >= g.spans[i].End() {
		return 0
	}
	return g.spans[i].SlotSize
}

// A difference is a kind of difference of two graphs.
type difference struct {
	what, example string
	n             int
	words         uint64
}

// differences counts differences by kind.
type differences map[string]*difference

func (ds differences) add(what, example string, words uint64) {
	d := ds[what]
	if d == nil {
		d = &difference{what: what, example: example}
		ds[what] = d
	}
	d.n++
	d.words += words
}

// String returns the kinds, the most frequent first.
func (ds differences) String() string {
	var b strings.Builder
	for _, d := range slices.SortedFunc(maps.Values(ds), func(a, b *difference) int { return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(a.what, b.what)) }) {
		fmt.Fprintf(&b, "%7d %9d B  %s  (%s)\n", d.n, 8*d.words, d.what, d.example)
	}
	return b.String()
}

// compare returns the differences between a graph that was made in the process
// and one that was made from its core file. An object or a reference from a
// root that only one of them has is counted by the text that the function cause
// returns for its path.
func compare(process, core *graph, cause func(path string) string) differences {
	ds := make(differences)
	for addr, p := range process.objects {
		c, ok := core.objects[addr]
		switch {
		case !ok:
			ds.add("object only in the process: "+cause(p.path), fmt.Sprintf("%#x %s %s", addr, p.typ, p.path), p.size)
		case c.size != p.size:
			ds.add("other size", fmt.Sprintf("%#x %d %d", addr, p.size, c.size), p.size)
		case c.typ != p.typ:
			ds.add("other type: "+p.typ+" and "+c.typ, fmt.Sprintf("%#x %s  AND  %s", addr, p.path, c.path), p.size)
		case c.path != p.path:
			ds.add("other path", fmt.Sprintf("%#x %s  AND  %s", addr, p.path, c.path), p.size)
		}
	}
	for addr, c := range core.objects {
		if _, ok := process.objects[addr]; !ok {
			ds.add("object only in the core: "+cause(c.path), fmt.Sprintf("%#x %s %s", addr, c.typ, c.path), c.size)
		}
	}
	both := func(addr uint64) bool {
		_, ok := process.objects[addr]
		_, ok2 := core.objects[addr]
		return ok && ok2
	}
	for _, side := range []struct {
		name string
		a, b *graph
	}{{"process", process, core}, {"core", core, process}} {
		for r := range side.a.refs {
			if !side.b.refs[r] && both(r.Value) {
				ds.add("reference only in the "+side.name, fmt.Sprintf("%#x %#x %s", r.Addr, r.Value, side.a.objects[r.Value].path), 0)
			}
		}
		short := make(map[rootRef]string)
		for r := range side.b.roots {
			short[rootRef{root: r.root, target: r.target}] = r.path
		}
		for r := range side.a.roots {
			if !both(r.target) {
				continue
			}
			if path, ok := short[rootRef{root: r.root, target: r.target}]; !ok {
				ds.add("root reference only in the "+side.name+": "+cause(r.path), fmt.Sprintf("%s %#x %s", r.root, r.target, r.path), 0)
			} else if path != r.path && !side.b.roots[r] {
				ds.add("other place of a root reference, in the "+side.name+": "+cause(r.path), r.path+"  AND  "+path, 0)
			}
		}
	}
	return ds
}
