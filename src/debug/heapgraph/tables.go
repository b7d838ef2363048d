// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file reads the sections that are small: metadata, strings, types, nodes,
// goroutines and spans. The tables of strings, types, nodes and goroutines are
// indexed by the numbers in the file. Index 0 stands for none. All numbers
// except those of parents are checked when the tables are complete, because a
// record may have the number of a later record.

package heapgraph

import (
	"cmp"
	"fmt"
	format "internal/heapgraph"
	"internal/refpath"
)

// tables has the small sections of a file except the metadata.
type tables struct {
	strings    []string
	types      []format.Type
	nodes      []node
	goroutines []format.Goroutine
	records    []format.Span // records of SPANS
	sums       []format.Sum
	creators   []format.Creator
	parts      []format.Hull // records of HULLS
	waits      []format.Wait
	request    uint32 // the first goroutine that took the snapshot for a request, or 0
	bytes      int64  // memory of the tables and, later, of the slotTable
}

// A node is a node of the file, with the properties that it inherits from the
// nodes above it.
type node struct {
	parent  uint32
	root    uint32 // the node above it that has no parent, or itself
	element uint32 // string
	typ     uint32 // type
	text    uint32 // string
	second  bool   // the node is of the second class
}

// loadTables reads the small sections.
func (f *File) loadTables() error {
	t := &f.tables
	t.strings = []string{""}
	t.types = make([]format.Type, 1)
	t.nodes = make([]node, 1)
	t.goroutines = make([]format.Goroutine, 1)
	f.Values = make(map[string]string)
	if err := f.loadSmall(); err != nil {
		return err
	}
	if err := f.Meta.decode(); err != nil {
		return err
	}
	return t.check()
}

// loadSmall decodes the small sections in the order of the file.
func (f *File) loadSmall() error {
	var l format.Loader
	var counts format.Counts
	for i := range f.f.Sections {
		k := f.f.Sections[i].Kind
		if !small(k) {
			continue
		}
		d, err := l.Load(f.f, i)
		if err != nil {
			return err
		}
		if err := f.loadSection(d); err != nil {
			return err
		}
		if int(k) < len(counts) {
			counts[k] += d.Records()
		}
	}
	for k := range counts {
		if k := format.Kind(k); small(k) && counts[k] != f.f.Counts[k] {
			return countError(k, counts[k], f.f.Counts[k])
		}
	}
	return nil
}

// small reports whether sections of kind k are small.
func small(k format.Kind) bool {
	switch k {
	case format.KindMeta, format.KindStrings, format.KindTypes, format.KindNodes, format.KindSpans, format.KindGoroutines, format.KindSums, format.KindCreators, format.KindHulls, format.KindWaits:
		return true
	}
	return false
}

func countError(k format.Kind, got, want uint64) error {
	return fmt.Errorf("heapgraph: sections %v have %d records, and END says that they have %d", k, got, want)
}

// loadSection decodes a small section.
func (f *File) loadSection(d *format.Decoder) error {
	t := &f.tables
	limit := f.limit(nil)
	for d.More() {
		switch d.Kind() {
		case format.KindMeta:
			k, v := d.Meta()
			k, v = shorten(k, maxString), shorten(v, maxString)
			f.Values[k] = v
			t.bytes += int64(len(k)+len(v)) + 4*size[string]()
		case format.KindStrings:
			t.strings = append(t.strings, shorten(d.String(), maxString))
		case format.KindTypes:
			t.types = append(t.types, d.Type())
		case format.KindNodes:
			if err := t.addNode(d); err != nil {
				return err
			}
		case format.KindSpans:
			t.records = append(t.records, d.Span())
		case format.KindGoroutines:
			t.goroutines = append(t.goroutines, d.Goroutine())
		case format.KindSums:
			t.sums = append(t.sums, d.Sum())
		case format.KindCreators:
			t.creators = append(t.creators, d.Creator())
		case format.KindHulls:
			t.parts = append(t.parts, d.Hull())
		case format.KindWaits:
			t.waits = append(t.waits, d.Wait())
		}
		if t.bytes += t.tableBytes(d.Kind()); t.bytes > limit {
			return errLimit(limit)
		}
	}
	return d.Err()
}

// addNode decodes a node. Its strings and types are checked later.
func (t *tables) addNode(d *format.Decoder) error {
	number := len(t.nodes)
	n := d.Node(uint64(number))
	if d.Err() != nil {
		return d.Err()
	}
	const most = 1<<32 - 1
	if uint64(number) >= most || n.Element >= most || n.Type >= most || n.Text >= most {
		return d.Error("a node has a wrong number")
	}
	x := node{
		parent:  uint32(n.Parent),
		root:    uint32(number),
		element: uint32(n.Element),
		typ:     uint32(n.Type),
		text:    uint32(n.Text),
		second:  n.Class == format.SecondClass,
	}
	if n.Parent != 0 {
		x.root = t.nodes[n.Parent].root
		x.second = x.second || t.nodes[n.Parent].second
	} else if n.Class == format.InheritedClass {
		return d.Error("a root has no class")
	}
	t.nodes = append(t.nodes, x)
	return nil
}

// check checks the numbers of the tables, and completes the nodes.
func (t *tables) check() error {
	ns, nt := uint64(len(t.strings)), uint64(len(t.types))
	for i := range t.types {
		x := &t.types[i]
		ok := x.Name < ns
		for _, f := range x.Fields {
			ok = ok && f.Name < ns && f.Type < nt
		}
		if !ok {
			return numberError(format.KindTypes, i)
		}
	}
	for i := range t.nodes {
		x := &t.nodes[i]
		if uint64(x.element) >= ns || uint64(x.text) >= ns || uint64(x.typ) >= nt {
			return numberError(format.KindNodes, i)
		}
		if x.text == 0 {
			x.text = uint32(t.types[x.typ].Name)
		}
	}
	for i, x := range t.sums {
		if x.Node >= uint64(len(t.nodes)) || x.Scan > 1<<62 || x.Unused > 1<<62 {
			return numberError(format.KindSums, i)
		}
	}
	for i := range t.goroutines {
		x := &t.goroutines[i]
		ok := x.Func < ns && x.Wait < ns
		for _, l := range x.Labels {
			ok = ok && l.Key < ns && l.Value < ns
		}
		if !ok {
			return numberError(format.KindGoroutines, i)
		}
		if t.request == 0 && t.isRequest(uint32(i)) {
			t.request = uint32(i)
		}
	}
	return cmp.Or(t.checkHulls(), t.checkCreators(), t.checkWaits())
}

// isRequest reports whether a goroutine took the snapshot for a request.
func (t *tables) isRequest(goroutine uint32) bool {
	return t.strings[t.goroutines[goroutine].Func] == refpath.ThisRequest
}

func numberError(k format.Kind, i int) error {
	return fmt.Errorf("heapgraph: record %d of %v has the number of something that does not exist", i, k)
}
