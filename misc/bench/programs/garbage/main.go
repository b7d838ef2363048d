// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Garbage makes much garbage beside a live heap, as servers do: short-lived
// binary trees, and documents of maps, slices and strings that are built and
// rendered. The work is the same in each run. Its time, CPU time and peak
// memory are measured from outside.
package main

import (
	"fmt"
	"os"
	"strconv"
)

type node struct{ left, right *node }

func tree(depth int) *node {
	if depth == 0 {
		return new(node)
	}
	return &node{tree(depth - 1), tree(depth - 1)}
}

func (n *node) count() int {
	if n.left == nil {
		return 1
	}
	return 1 + n.left.count() + n.right.count()
}

func document(id, depth int) map[string]any {
	doc := map[string]any{
		"id":   id,
		"name": "document " + strconv.Itoa(id),
		"tags": []any{"a" + strconv.Itoa(id%7), "b" + strconv.Itoa(id%11), id * 3},
	}
	if depth > 0 {
		doc["first"] = document(2*id, depth-1)
		doc["second"] = document(2*id+1, depth-1)
	}
	return doc
}

func render(out []byte, value any) []byte {
	switch value := value.(type) {
	case int:
		return strconv.AppendInt(out, int64(value), 10)
	case string:
		return strconv.AppendQuote(out, value)
	case []any:
		out = append(out, '[')
		for _, element := range value {
			out = append(render(out, element), ',')
		}
		return append(out, ']')
	case map[string]any:
		out = append(out, '{')
		for key, element := range value {
			out = append(strconv.AppendQuote(out, key), ':')
			out = append(render(out, element), ',')
		}
		return append(out, '}')
	}
	panic(fmt.Sprintf("cannot render %T", value))
}

func main() {
	const rounds = 300
	live := tree(21)
	recent := make([]map[string]any, 50)
	nodes, rendered := 0, 0
	for i := range rounds {
		nodes += tree(15).count()
		doc := document(i, 9)
		recent[i%len(recent)] = doc
		rendered += len(render(nil, doc))
	}
	want := rounds * (1<<16 - 1)
	if nodes != want || rendered == 0 || live.count() != 1<<22-1 {
		fmt.Fprintf(os.Stderr, "counted %d nodes, want %d\n", nodes, want)
		os.Exit(1)
	}
}
