// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file writes the refs profile as text for a terminal: the totals, the
// comments, and a tree of the paths (internal/refpath/treetext.go). The kinds of
// roots with the labels of goroutines are directly below the root of the tree.

package pprof

import (
	"bufio"
	"fmt"
	"internal/refpath"
	"io"
)

// writeRefsText writes the profile as text.
func writeRefsText(w io.Writer, r *refs) error {
	b := bufio.NewWriter(w)
	var objects, bytes int64
	for _, s := range r.samples {
		objects += s.objects
		bytes += s.bytes
	}
	fmt.Fprintf(b, "refs profile: %d bytes in %d objects\n", bytes, objects)
	for _, c := range r.comments {
		fmt.Fprintf(b, "# %s\n", c)
	}
	fmt.Fprintln(b)
	// text returns the text of an element of a path, or of a group.
	text := func(elem int32) string {
		if elem < 0 {
			g := r.groups[^elem]
			return refpath.RootText(g.root, g.labels)
		}
		return r.elems[elem].WithLines()
	}
	if err := r.paths.Write(b, refpath.Amount, text); err != nil {
		return err
	}
	return b.Flush()
}
