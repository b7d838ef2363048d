// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file makes the samples of a profile of the dominator tree. The stack of
// an object has its name and the names of its dominators, and its size is a
// flat value there. Therefore the cumulative value of a path is the size that
// the vertices at its end retain.

package heapgraph

// NotReached is the name, in samples, of objects that no references in the
// snapshot connect to a root.
const NotReached = "(not reached)"

// leftOut is the name, in samples, of the middle of a stack that is very long.
const leftOut = "(left out)"

// A Sample has the live objects of one [NameNode], or those that are not
// reached.
type Sample struct {
	Stack []string // names, from that of the objects up to that of the root
	Amount
}

// stacks makes the lists of names from nodes up to the roots. They are shorter
// if they would have too many names together (see texts.go).
type stacks struct {
	nodes []NameNode
	depth []uint32
	top   []uint32 // by node: the node below the first one that is it or is above it
	most  uint32   // names of a stack
}

// newStacks returns the stacks of nodes. need reports which of them are needed.
func newStacks(nodes []NameNode, need func(i int) bool) *stacks {
	s := &stacks{nodes: nodes, depth: make([]uint32, len(nodes)), top: make([]uint32, len(nodes))}
	var lengths []uint32
	for i := range nodes {
		if n := &nodes[i]; i > 0 {
			s.depth[i] = s.depth[n.Parent] + 1
			s.top[i] = s.top[n.Parent]
			if n.Parent == 0 {
				s.top[i] = uint32(i)
			}
		}
		if need(i) {
			lengths = append(lengths, s.depth[i])
		}
	}
	s.most = fair(lengths, stackNames+perStack*int64(len(lengths)), perStack, 1<<20)
	return s
}

// stack returns the names from node i up to the root. If there are too many,
// out stands for those between the lower ones and the root.
func (s *stacks) stack(i int, out string) []string {
	list := make([]string, 0, min(s.depth[i], s.most))
	x := i
	for ; x > 0 && (s.depth[i] <= s.most || uint32(len(list)) < s.most-2); x = s.nodes[x].Parent {
		list = append(list, s.nodes[x].Name)
	}
	if x > 0 {
		list = append(list, out, s.nodes[s.top[x]].Name)
	}
	return list
}

// Samples returns the live objects by the names of their dominators, as Names
// has them, for a profile. They add up to Live.
func (d *Dominators) Samples() []Sample {
	var samples []Sample
	nodes := d.Names()
	s := newStacks(nodes, func(i int) bool { return nodes[i].Shallow != (Amount{}) })
	for i, n := range nodes {
		if n.Shallow != (Amount{}) {
			samples = append(samples, Sample{s.stack(i, leftOut), n.Shallow})
		}
	}
	if a := d.Unreached(); a != (Amount{}) {
		samples = append(samples, Sample{[]string{NotReached}, a})
	}
	return samples
}

// Live returns the number and size of the live objects as the file states them.
// If the roots reach more bytes than the file states, Live returns the number
// and size of all objects in the graph.
func (d *Dominators) Live() Amount {
	r := d.Reach()
	if d.g.Live.Bytes >= r.First.Bytes+r.Second.Bytes {
		return d.g.Live
	}
	all := r.First
	all.add(r.Second)
	all.add(r.Not)
	return all
}

// Unreached returns the number and size of the live objects that no roots
// reach.
func (d *Dominators) Unreached() Amount { return d.Live().Sub(d.Retained(All)) }
