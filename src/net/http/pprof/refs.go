// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file writes profiles of references as text where runtime/pprof cannot:
// profiles that reduce.go has reduced, profiles that requests share (limits.go),
// and the tree of a difference (growingtext.go).

package pprof

import (
	"bufio"
	"fmt"
	"internal/profile"
	"internal/refpath"
	"io"
	"slices"
	"strings"
	"time"
)

// writeAmounts writes p, which is not a difference, as a tree.
func writeAmounts(w io.Writer, title string, p *profile.Profile) error {
	tree, objects, bytes := pathTree(p)
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "%s profile: %d bytes in %d objects\n# recorded at %s\n", title, bytes, objects, time.Unix(0, p.TimeNanos).UTC().Format(time.RFC3339Nano))
	return tree.write(b, refpath.Amount, p.Comments)
}

// A textTree is a tree of paths whose elements are texts.
type textTree struct {
	refpath.Tree // of indexes of texts
	texts        []string
	numbers      map[string]int32
}

// child returns the number of the path that extends path n by an element.
func (t *textTree) child(n int32, text string) int32 {
	elem, ok := t.numbers[text]
	if !ok {
		if t.numbers == nil {
			t.numbers = make(map[string]int32)
		}
		elem = int32(len(t.texts))
		t.numbers[text] = elem
		t.texts = append(t.texts, text)
	}
	return t.Child(n, elem)
}

// pathTree returns the tree of the paths of p or, if p is an inuse profile, of
// its call stacks. They are below the kinds of roots and the labels. pathTree
// also returns the sums of the values of p.
func pathTree(p *profile.Profile) (tree *textTree, objects, bytes int64) {
	tree = new(textTree)
	for _, s := range p.Sample {
		if len(s.Value) < 2 {
			continue // not a profile of references
		}
		n, root := int32(0), rootText(s)
		if root != "" {
			n = tree.child(0, root)
		}
		for _, l := range slices.Backward(s.Location) {
			if text := locationText(l); root == "" || text != "(stack)" && text != root { // the text of the root shows this already
				n = tree.child(n, text)
			}
		}
		unused := int64(0)
		if len(s.Value) > 3 {
			unused = s.Value[3]
		}
		tree.Add(n, s.Value[0], s.Value[1], unused)
		objects += s.Value[0]
		bytes += s.Value[1]
	}
	return tree, objects, bytes
}

// write writes comments and the tree.
func (t *textTree) write(b *bufio.Writer, mode refpath.Mode, comments []string) error {
	for _, c := range comments {
		fmt.Fprintf(b, "# %s\n", c)
	}
	fmt.Fprintln(b)
	if err := t.Write(b, mode, func(elem int32) string { return t.texts[elem] }); err != nil {
		return err
	}
	return b.Flush()
}

// rootText returns the text of a sample's root, with the sample's other labels
// that are text, except type.
func rootText(s *profile.Sample) string {
	var labels [][2]string
	for k, values := range s.Label {
		if k != "root" && k != "type" {
			labels = append(labels, [2]string{k, strings.Join(values, ",")})
		}
	}
	return refpath.RootText(strings.Join(s.Label["root"], ","), labels)
}

// locationText returns the text of an element of a path: a name, or the
// functions at a PC, outermost first. It leaves out lines. With lines, a
// goroutine that moves on within a function would add memory at one line and
// subtract it at another.
func locationText(l *profile.Location) string {
	var calls []string
	for _, line := range slices.Backward(l.Line) {
		calls = append(calls, line.Function.Name)
	}
	return strings.Join(calls, " > ")
}
