// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file tells objects that only elements outside hold from others with the
// same path. When marking follows an element of an array, it does not know yet
// which elements are used. Therefore both have the same node.

package heapgraph

import (
	"cmp"
	format "internal/heapgraph"
	"slices"
	"strings"
)

// Limits, so that a hostile file does not take long: of paths, and of the bytes
// of their names, of which more have minJoined bytes each.
const (
	maxOutside   = 1 << 16
	outsideBytes = 64 << 20
)

// outsidePaths has the keys of objects for ByPath: those of their nodes or, for
// objects that only elements outside hold, those after them.
type outsidePaths struct {
	d     *Dominators
	same  []uint32 // see Graph.samePaths
	paths []outsidePath
	keys  map[outsidePath]uint32 // 1 + index in paths, or 0
	byNum []uint32               // by number of a vertex: 1 + index in paths, or 0; nil if all are 0
	named int                    // bytes of names
}

// An outsidePath is the path to objects of a node that only elements outside of
// arrays of another node hold, which is above it.
type outsidePath struct{ node, array uint32 }

func (d *Dominators) outsidePaths(same []uint32) *outsidePaths {
	p := &outsidePaths{d: d, same: same, keys: make(map[outsidePath]uint32)}
	d.eachOutside(func(in *inside) {
		if p.byNum == nil {
			p.byNum = make([]uint32, len(d.seq))
		}
		array := p.nodeOf(in.from)
		in.eachRest(func(i uint32) { p.byNum[i] = p.index(outsidePath{p.nodeOf(i), array}) })
	})
	return p
}

// nodeOf returns the first node with the path of the object with a number.
func (p *outsidePaths) nodeOf(number uint32) uint32 {
	return p.same[p.d.g.node[Vertex(p.d.seq[number])-p.d.g.first]]
}

// below returns the node with an element that is the next below above on the
// path to n. It returns 0 if above is not among the last maxWalk nodes of that
// path.
func (p *outsidePaths) below(n, above uint32) (next uint32) {
	g := p.d.g
	for range maxWalk {
		switch {
		case n == 0:
			return 0
		case p.same[n] == above:
			return next
		case g.strings[g.nodes[n].element] != "":
			next = n
		}
		n = g.nodes[n].parent
	}
	return 0
}

// index returns 1 + the index of a path, or 0 if the node is not below that of
// the arrays.
func (p *outsidePaths) index(path outsidePath) uint32 {
	i, ok := p.keys[path]
	if !ok {
		if len(p.paths) < maxOutside && p.below(path.node, path.array) != 0 {
			p.paths = append(p.paths, path)
			i = uint32(len(p.paths))
		}
		p.keys[path] = i
	}
	return i
}

// key returns the key of a vertex, or none if it is a root.
func (p *outsidePaths) key(v Vertex) uint32 {
	g := p.d.g
	if v < g.first {
		return none
	}
	if i := p.d.num[v]; p.byNum != nil && i != none && p.byNum[i] != 0 {
		return uint32(len(g.nodes)) + p.byNum[i] - 1
	}
	return p.same[g.node[v-g.first]]
}

// name returns the text of the path with a key.
func (p *outsidePaths) name(key int) string {
	g := p.d.g
	if key < len(g.nodes) {
		return cmp.Or(g.pathText(uint32(key), 0), Unknown)
	}
	path := p.paths[key-len(g.nodes)]
	elem := p.below(path.node, path.array)
	list := []string{g.pathText(path.array, 0), outsideElement(shorten(g.strings[g.nodes[elem].element], maxString)), g.pathText(path.node, elem)}
	if list[2] == "" {
		list = list[:2]
	}
	name := strings.Join(list, pathSeparator)
	if p.named += len(name); p.named > outsideBytes {
		name = shorten(name, minJoined)
	}
	return name
}

// divide divides the sums of nodes by bytes, so that objects that only elements
// outside hold have their share.
func (p *outsidePaths) divide(sums []format.Sum) {
	if len(p.paths) == 0 {
		return
	}
	bytes := make([]int64, len(sums))
	for i, v := range p.d.seq {
		if k := p.key(Vertex(v)); k != none {
			bytes[k] += p.d.before[i+1] - p.d.before[i]
		}
	}
	nodes := len(sums) - len(p.paths)
	all := slices.Clone(bytes[:nodes])
	for i, path := range p.paths {
		all[path.node] += bytes[nodes+i]
	}
	whole := slices.Clone(sums[:nodes])
	for i, path := range p.paths {
		x, rest, share := &sums[nodes+i], &sums[path.node], float64(bytes[nodes+i])/float64(all[path.node])
		x.Scan = min(rest.Scan, uint64(share*float64(whole[path.node].Scan)))
		x.Unused = min(rest.Unused, uint64(share*float64(whole[path.node].Unused)))
		rest.Scan -= x.Scan
		rest.Unused -= x.Unused
	}
}

// outsideElement returns an element of a path for one that no reference refers
// to.
func outsideElement(element string) string {
	if name := outsideName(element); name != element {
		return name
	}
	return element + " [outside]"
}
