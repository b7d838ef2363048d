// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The refs profile as text, for a terminal: the totals and a tree of all paths.
// Below the tree's root are the kinds of roots, with the labels of goroutines.

package pprof

import (
	"bufio"
	"fmt"
	"internal/pathtree"
	"io"
	"strings"
)

// writeText writes the profile as text.
func (r *refs) writeText(w io.Writer) error {
	b := bufio.NewWriter(w)
	var objects, bytes int64
	for _, s := range r.samples {
		objects += s.objects
		bytes += s.bytes
	}
	fmt.Fprintf(b, "refs profile: %d bytes in %d objects\n", bytes, objects)
	for _, c := range refsComments(&r.header) {
		fmt.Fprintf(b, "# %s\n", c)
	}
	fmt.Fprintln(b)
	if err := r.paths.Write(b, pathtree.Amount, r.elemText); err != nil {
		return err
	}
	return b.Flush()
}

// elemText returns the text for an element of a path, or for a group.
func (r *refs) elemText(elem int32) string {
	if elem < 0 {
		g := r.groups[^elem]
		return pathtree.Root(g.root, g.labels)
	}
	if e := r.elems[elem]; e.pc == 0 {
		return e.name
	} else {
		return callText(e.pc)
	}
}

// callText returns the text for the frame with return PC pc: the functions
// inlined there, outermost first.
func callText(pc uintptr) string {
	var calls []string
	for _, f := range framesAt(pc) {
		calls = append(calls, pathtree.Frame(runtime_FrameSymbolName(&f), f.File, f.Line))
	}
	return strings.Join(calls, " > ")
}
