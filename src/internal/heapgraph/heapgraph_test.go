// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package heapgraph_test

import (
	"bytes"
	"fmt"
	. "internal/heapgraph"
	"reflect"
	"testing"
)

// contents are the records of a file.
type contents struct {
	meta       [][2]string
	strings    []string
	types      []Type
	nodes      []Node
	spans      []Span
	refs       [][]Pair // batches
	claims     [][]Pair
	rootRefs   []RootRef
	specials   []Special
	goroutines []Goroutine
}

// decode reads a file. Each section of pairs is one batch.
func decode(b []byte) (*contents, error) {
	f, err := Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, err
	}
	c := new(contents)
	var l Loader
	var counts Counts
	for i := range f.Sections {
		d, err := l.Load(f, i)
		if err != nil {
			return nil, err
		}
		if int(d.Kind()) >= len(counts) {
			continue
		}
		c.section(d)
		if d.Err() != nil {
			return nil, d.Err()
		}
		counts[d.Kind()] += d.Records()
	}
	if counts != f.Counts {
		return nil, fmt.Errorf("file has %v records, END has %v", counts, f.Counts)
	}
	return c, nil
}

// section decodes a section to c.
func (c *contents) section(d *Decoder) {
	var batch []Pair
	for d.More() {
		switch d.Kind() {
		case KindMeta:
			k, v := d.Meta()
			c.meta = append(c.meta, [2]string{k, v})
		case KindStrings:
			c.strings = append(c.strings, d.String())
		case KindTypes:
			c.types = append(c.types, d.Type())
		case KindNodes:
			c.nodes = append(c.nodes, d.Node(uint64(len(c.nodes)+1)))
		case KindSpans:
			c.spans = append(c.spans, d.Span())
		case KindRefs, KindClaims:
			var some [5]Pair
			batch = append(batch, some[:d.Pairs(some[:])]...)
		case KindRootRefs:
			c.rootRefs = append(c.rootRefs, d.RootRef())
		case KindSpecials:
			c.specials = append(c.specials, d.Special())
		case KindGoroutines:
			c.goroutines = append(c.goroutines, d.Goroutine())
		}
	}
	switch d.Kind() {
	case KindRefs:
		c.refs = append(c.refs, batch)
	case KindClaims:
		c.claims = append(c.claims, batch)
	}
}

// TestDecode decodes a file that was written by hand.
func TestDecode(t *testing.T) {
	b := []byte(Magic)
	for _, s := range []struct {
		kind    Kind
		payload string
	}{
		{KindMeta, "\x03key\x05value"},
		{KindStrings, "\x01T\x00\x04next"},
		{KindTypes, "\x01\x18\x02\x08\x03\x01\x08\x03\x02" + "\x03\x08\x00"},
		{KindNodes, "\x00\x01\x03\x01\x00" + "\x01\x00\x03\x00\x01"},
		{KindSpans, "\x10\x80\x08\x03\x01" + "\x03\x01\x02\x00"},
		{KindRefs, "\x0a\x14" + "\x00\x03" + "\x05\x04"},
		{KindClaims, "\x08\x02" + "\x03\x01"},
		{KindRootRefs, "\x01\x02\x10" + "\x00\x01\x01"},
		{KindSpecials, "\x10\x01\x05" + "\x03\x02\x06"},
		{KindGoroutines, "\x01\x03\x00\x01\x01\x03" + "\x02\x01\x03\x00"},
		{KindEnd, "\x0a\x01\x03\x02\x02\x02\x03\x02\x02\x02\x02"},
	} {
		b = append(b, section(s.kind, len(s.payload), []byte(s.payload))...)
	}
	got, err := decode(b)
	if err != nil {
		t.Fatal(err)
	}
	want := &contents{
		meta:       [][2]string{{"key", "value"}},
		strings:    []string{"T", "", "next"},
		types:      []Type{{Name: 1, Size: 24, Fields: []Field{{8, 3, 1}, {16, 3, 2}}}, {Name: 3, Size: 8}},
		nodes:      []Node{{Class: FirstClass, Element: 3, Type: 1}, {Parent: 1, Element: 3, Text: 1}},
		spans:      []Span{{8, 1024, 3, 1}, {3078, 1, 2, 0}},
		refs:       [][]Pair{{{10, 10}, {10, 8}, {15, 10}}},
		claims:     [][]Pair{{{8, 2}, {11, 1}}},
		rootRefs:   []RootRef{{1, 2, 8}, {0, 1, 7}},
		specials:   []Special{{8, 1, 5}, {6, 2, 9}},
		goroutines: []Goroutine{{FirstClass, 3, 0, []Label{{1, 3}}}, {SecondClass, 1, 3, nil}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}
