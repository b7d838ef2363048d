// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Elements of an array that no slice reaches any more hold memory, as those
// before the beginning of a queue after q = q[1:]. Only a heap graph shows it:
// that of a core file, of evidence, or of a server with -graph.

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// outsideMark is in the names of elements that no slice reaches.
const outsideMark = "[outside]"

func findOutside(f *facts) (all []finding) {
	if f.Graph == nil {
		return nil
	}
	least := f.least(standingShare, standingLeast)
	for _, t := range f.Graph.outside(nil, least) {
		e := t.at()
		all = append(all, finding{
			Kind:      "unused-elements",
			Signature: t.String(),
			Text:      fmt.Sprintf("%s is held only by elements of an array that no slice reaches any more.", formatSize(e.Bytes)),
			Place:     t.String(),
			Bytes:     e.Bytes,
			Details: append([]string{fmt.Sprintf("%s; as after q = q[1:], where q[0] stays in the array: set it to its zero value before", plural(e.Objects, "object"))},
				f.keptBy(strings.Replace(t.String(), outsideMark, "[elem]", 1))...),
			Profile: "heapgraph",
			More:    "go tool heapgraph suspects " + f.take.path(graphName),
			group:   standing,
		})
	}
	return all
}

// outside returns the trails to elements below e, which ends t, that are outside
// of all slices and hold so many bytes.
func (e *element) outside(t trail, least int64) (all []trail) {
	for _, c := range e.Children {
		below := append(t[:len(t):len(t)], c)
		switch {
		case c.Bytes < least || c.isExplanation():
		case strings.Contains(c.Name, outsideMark):
			all = append(all, below)
		default:
			all = append(all, c.outside(below, least)...)
		}
	}
	return all
}

// addGraph adds the paths of the take's heap graph, if it has one.
func (f *facts) addGraph(t *take) {
	if t.dir == "" {
		return
	}
	name := filepath.Join(t.dir, graphName)
	if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
		return
	}
	g, err := openGraph(name)
	if err != nil {
		f.Missing = append(f.Missing, "heapgraph: "+err.Error())
		return
	}
	f.Graph = new(element)
	f.Graph.add(pathProfile(g, startedBy(g)), 1)
	f.Graph.sort()
}
