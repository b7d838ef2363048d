// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Elements of an array, or fields of an object, that no slice and no pointer
// reaches any more hold memory, as those before the beginning of a queue after
// q = q[1:]. Only a heap graph shows it: that of a core file, of evidence, or of
// a server with -graph.

package main

import (
	"debug/heapgraph"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// outsideMark is in the names of such elements in place of [elem]. After a blank,
// it follows the name of a field.
const outsideMark = "[outside]"

// graphMemory is the most that a graph and its dominators may take, in bytes.
const graphMemory = 4 << 30

func findOutside(f *facts) (all []finding) {
	if f.Graph == nil {
		return nil
	}
	least := f.least(standingShare, standingLeast)
	for _, t := range f.Graph.outside(nil, least) {
		e := t.at()
		x := finding{
			Kind:      "unused-elements",
			Signature: t.String(),
			Text:      fmt.Sprintf("%s is held only by elements or fields that no slice and no pointer reaches any more.", formatSize(e.Bytes)),
			Place:     t.String(),
			Bytes:     e.Bytes,
			Details:   []string{fmt.Sprintf("%s; as after q = q[1:], where q[0] stays in the array: set it to its zero value before", plural(e.Objects, "object"))},
			Profile:   "heapgraph",
			More:      "go tool heapgraph suspects " + f.take.path(graphName),
			group:     standing,
		}
		marked := strings.NewReplacer(" "+outsideMark, "", outsideMark, "[elem]")
		if code := f.mostBelow(marked.Replace(t.String())); code != "" {
			x.Details = append(x.Details, allocatedBy+code)
		}
		all = append(all, x)
	}
	return all
}

// outsideText says how to see whether a slice whose array grows still reaches
// what is in it.
func (f *facts) outsideText(e *element) []string {
	tried := slices.ContainsFunc(f.Missing, func(m string) bool { return strings.HasPrefix(m, "heapgraph: ") })
	if f.Graph != nil || tried || f.Compare || f.once() || e.own().NewCount < manyObjects || !strings.HasPrefix(e.containerOf([]string{"[elem]"}), "[]") {
		return nil
	}
	return []string{"go tool memreport -graph tells how much of it no slice reaches any more, as after q = q[1:]"}
}

// outside returns the trails to elements below e, which ends t, that are marked
// and hold so many bytes.
func (e *element) outside(t trail, least int64) (all []trail) {
	for _, c := range e.Children {
		below := append(t[:len(t):len(t)], c)
		switch {
		case c.Bytes < least || c.isExplanation() || c.isPool():
		case strings.Contains(c.Name, outsideMark):
			all = append(all, below)
		default:
			all = append(all, c.outside(below, least)...)
		}
	}
	return all
}

// addGraph adds the paths of the take's heap graph, if it has one. Those of a
// core file are in Refs.
func (f *facts) addGraph(t *take) {
	name := filepath.Join(t.dir, graphName)
	_, err := os.Stat(name)
	switch {
	case t.files[graphName] != nil:
		f.Missing = append(f.Missing, "heapgraph: it is not kept, and so not read")
	case t.dir == "" || errors.Is(err, fs.ErrNotExist):
	case strings.HasPrefix(t.Reason, coreReason):
		f.Graph = f.Refs
	default:
		if f.Graph, err = readPaths(name); err != nil {
			f.Missing = append(f.Missing, "heapgraph: "+err.Error())
		}
	}
}

// readPaths returns the live heap by path, of a heap graph. If references are
// missing, an object may have others than those of elements outside.
func readPaths(name string) (*element, error) {
	g, err := openGraph(name, &heapgraph.Options{Memory: graphMemory})
	if err != nil {
		return nil, err
	}
	if g.Truncated != "" {
		return nil, errors.New("references are missing, because there was no memory")
	}
	top := new(element)
	top.add(pathProfile(g, startedBy(g)), 1)
	top.sort()
	return top, nil
}
