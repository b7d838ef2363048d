// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package dominators_test

import . "internal/dominators"

// iterative computes immediate dominators as deletionOracle does, by the
// algorithm of Cooper, Harvey and Kennedy: it intersects the dominators of the
// sources of edges until nothing changes.
func iterative(g *Graph) []int {
	n := len(g.Off) - 1
	order, pos := reversePostorder(g)
	idom := make([]int, len(order)) // by position, as positions
	for i := range idom {
		idom[i] = -1
	}
	idom[0] = 0
	for changed := true; changed; {
		changed = false
		for i, v := range order {
			for _, w := range succ(g, v) {
				j := pos[w]
				if j == 0 {
					continue
				}
				d := i
				if idom[j] >= 0 {
					d = intersect(idom, idom[j], i)
				}
				if d != idom[j] {
					idom[j] = d
					changed = true
				}
			}
		}
	}
	byVertex := make([]int, n)
	for v := range byVertex {
		byVertex[v] = -1
		if i := pos[v]; i > 0 {
			byVertex[v] = int(order[idom[i]])
		}
	}
	return byVertex
}

// intersect returns the nearest common ancestor of i and j.
func intersect(idom []int, i, j int) int {
	for i != j {
		for i > j {
			i = idom[i]
		}
		for j > i {
			j = idom[j]
		}
	}
	return i
}

// reversePostorder returns the vertices that the root reaches, in reverse of
// the order in which a depth-first search leaves them. pos is the position of
// each vertex in order, or -1.
func reversePostorder(g *Graph) (order []uint32, pos []int) {
	n := len(g.Off) - 1
	pos = make([]int, n)
	for v := range pos {
		pos[v] = -1
	}
	type frame struct{ v, next uint32 }
	stack := []frame{{0, 0}}
	pos[0] = 0
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		if dst := succ(g, f.v); int(f.next) < len(dst) {
			w := dst[f.next]
			f.next++
			if pos[w] < 0 {
				pos[w] = 0
				stack = append(stack, frame{w, 0})
			}
			continue
		}
		order = append(order, f.v)
		stack = stack[:len(stack)-1]
	}
	for i := range len(order) / 2 {
		j := len(order) - 1 - i
		order[i], order[j] = order[j], order[i]
	}
	for i, v := range order {
		pos[v] = i
	}
	return order, pos
}
