// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file bounds texts. A file has each name once, but a path has the names
// of all nodes above it: in a chain of nodes, the texts of all paths together
// have the square of the file's size. Therefore long names lose their middles,
// and paths that are too long for their number lose their beginnings.

package heapgraph

import (
	"fmt"
	"slices"
	"strings"
)

const (
	maxString = 4 << 10  // bytes of a name
	maxJoined = 64 << 10 // bytes of the text of a path
	minJoined = 256
	maxWalk   = 1000 // elements of the text of a path

	maxField = 1 << 10 // bytes of the name of a field
	maxNamed = 10_000  // references of a path that have a Field

	pathBytes  = 64 << 20 // bytes of the texts of all paths: so many, and for each path perPath more
	perPath    = 256
	placeBytes = 64 << 20 // bytes of the names of words in objects: so many, and for each word minJoined more
	stackNames = 4 << 20  // as pathBytes, for paths that are lists of names
	perStack   = 32
)

// shorten returns s, without its middle if it has more than n bytes.
func shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	const mark = "…"
	half := (n - len(mark)) / 2
	return strings.Clone(s[:half] + mark + s[len(s)-half:])
}

// more stands for n elements that are left out.
func more(n int) string { return fmt.Sprintf("(%d more)", n) }

// fair returns the largest power of two from least to most with which the sum
// of all lengths, each cut there, is not above total. It returns least if there
// is none.
func fair(lengths []uint32, total int64, least, most uint32) uint32 {
	for n := most; n > least; n /= 2 {
		sum := int64(0)
		for _, x := range lengths {
			sum += int64(min(x, n))
		}
		if sum <= total {
			return n
		}
	}
	return least
}

// JoinPath returns the elements of a path as one text. A text of more than 64
// KiB leaves out elements in the middle.
func JoinPath(path []string) string {
	n := 0
	for _, e := range path {
		n += len(e) + len(pathSeparator)
	}
	if n <= maxJoined {
		return strings.Join(path, pathSeparator)
	}
	head, rest := beginning(path, maxJoined/2)
	reversed := slices.Clone(rest)
	slices.Reverse(reversed)
	tail, left := beginning(reversed, maxJoined/2)
	slices.Reverse(tail)
	list := slices.Clone(head)
	if len(left) > 0 {
		list = append(list, more(len(left)))
	}
	list = append(list, tail...)
	for i, e := range list {
		list[i] = shorten(e, maxString)
	}
	return strings.Join(list, pathSeparator)
}

// pathSeparator is between the elements of a path.
const pathSeparator = " > "

// beginning divides a list after about n bytes.
func beginning(list []string, n int) (head, rest []string) {
	for i, e := range list {
		if n -= min(len(e), maxString) + len(pathSeparator); n < 0 {
			return list[:i], list[i:]
		}
	}
	return list, nil
}

// pathTexts has what the texts of the paths of nodes need.
type pathTexts struct {
	named []uint32 // by node: the node, or the nearest one above it, that has an element; or 0
	depth []uint32 // by node: number of elements of its path
	most  int      // bytes of a text
}

func (g *Graph) pathTexts() *pathTexts {
	return g.texts.get(func() *pathTexts {
		n := len(g.nodes)
		t := &pathTexts{named: make([]uint32, n), depth: make([]uint32, n)}
		length := make([]uint32, n)
		var lengths []uint32 // of different paths
		same := g.samePaths()
		for i := 1; i < n; i++ {
			up := g.nodes[i].parent
			e := g.strings[g.nodes[i].element]
			t.named[i], t.depth[i], length[i] = t.named[up], t.depth[up], length[up]
			if e == "" {
				continue
			}
			t.named[i] = uint32(i)
			t.depth[i]++
			length[i] = min(length[i]+uint32(len(e)+len(pathSeparator)), maxJoined)
			if same[i] == uint32(i) {
				lengths = append(lengths, length[i])
			}
		}
		t.most = int(fair(lengths, pathBytes+perPath*int64(len(lengths)), minJoined, maxJoined))
		return t
	})
}

// pathText returns the text of the path from node above to node n, without the
// element of above. A long path has the last elements only.
func (g *Graph) pathText(n, above uint32) string {
	t := g.pathTexts()
	var list []string
	bytes := 0
	for x := t.named[n]; t.depth[x] > t.depth[above]; x = t.named[g.nodes[x].parent] {
		e := shorten(g.strings[g.nodes[x].element], t.most)
		if bytes += len(e) + len(pathSeparator); len(list) > 0 && (bytes > t.most || len(list) == maxWalk) {
			list = append(list, more(int(t.depth[x]-t.depth[above])))
			break
		}
		list = append(list, e)
	}
	slices.Reverse(list)
	return strings.Join(list, pathSeparator)
}
