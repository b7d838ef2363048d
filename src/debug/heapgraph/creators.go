// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file says where goroutines were started.

package heapgraph

import (
	"cmp"
	"fmt"
	format "internal/heapgraph"
	"slices"
)

// A Creator is the place of the go statement that started a goroutine. It is
// zero if the place is not known, as for the goroutine of main.main.
type Creator struct {
	Func string // the function that has the go statement
	File string
	Line int
}

// String returns a text such as "main.start at /src/main.go:12", or "".
func (c Creator) String() string {
	switch {
	case c == Creator{}:
		return ""
	case c.File == "":
		return c.Func
	}
	return fmt.Sprintf("%s at %s:%d", c.Func, c.File, c.Line)
}

func compareCreators(a, b Creator) int {
	return cmp.Or(cmp.Compare(a.Func, b.Func), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
}

// Creator returns the creator of the goroutine that v stands for. If v stands
// for several goroutines, it returns their common one, if they have one.
func (g *Graph) Creator(v Vertex) (c Creator) {
	if g.Kind(v) != KindGoroutine {
		return Creator{}
	}
	for i, n := range g.roots[v-1].goroutines {
		x := g.creator(n)
		if i > 0 && x != c {
			return Creator{}
		}
		c = x
	}
	return c
}

// creator returns the creator of a goroutine.
func (t *tables) creator(goroutine uint32) Creator {
	i, ok := slices.BinarySearchFunc(t.creators, uint64(goroutine), func(c format.Creator, n uint64) int { return cmp.Compare(c.Goroutine, n) })
	if !ok {
		return Creator{}
	}
	c := &t.creators[i]
	return Creator{t.strings[c.Func], t.strings[c.File], int(c.Line)}
}

// checkCreators checks the numbers of the creators, and sorts them.
func (t *tables) checkCreators() error {
	const lines = 1 << 31
	n := uint64(len(t.strings))
	for i, c := range t.creators {
		if c.Goroutine >= uint64(len(t.goroutines)) || c.Func >= n || c.File >= n || c.Line >= lines {
			return numberError(format.KindCreators, i)
		}
	}
	slices.SortFunc(t.creators, func(a, b format.Creator) int { return cmp.Compare(a.Goroutine, b.Goroutine) })
	return nil
}
