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

// A Sample has the live objects of one [NameNode], or those that are not
// reached.
type Sample struct {
	Stack []string // names, from that of the objects up to that of the root
	Amount
}

// Samples returns the live objects by the names of their dominators, as Names
// has them, for a profile. They add up to Live.
func (d *Dominators) Samples() []Sample {
	var samples []Sample
	nodes := d.Names()
	stacks := make([][]string, len(nodes))
	for i, n := range nodes {
		if i > 0 {
			stacks[i] = append([]string{n.Name}, stacks[n.Parent]...)
		}
		if n.Shallow != (Amount{}) {
			samples = append(samples, Sample{stacks[i], n.Shallow})
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
