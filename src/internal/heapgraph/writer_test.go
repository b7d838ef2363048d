// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package heapgraph_test

import (
	"bytes"
	"errors"
	"fmt"
	. "internal/heapgraph"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// write writes c, alternating between the kinds of records.
func (c *contents) write(w *Writer) error {
	for i := 0; ; i++ {
		more := false
		at := func(n int) bool {
			more = more || i < n
			return i < n
		}
		if at(len(c.refs)) {
			w.Refs(slices.Clone(c.refs[i]))
		}
		if at(len(c.meta)) {
			w.Meta(c.meta[i][0], c.meta[i][1])
		}
		if at(len(c.strings)) {
			if n := w.String(c.strings[i]); n != uint64(i+1) {
				return fmt.Errorf("string %d has number %d", i+1, n)
			}
			w.String(c.strings[i/2]) // a string that is already written
		}
		if at(len(c.types)) {
			w.Type(&c.types[i])
		}
		if at(len(c.nodes)) {
			w.Node(&c.nodes[i])
		}
		if at(len(c.spans)) {
			w.Span(&c.spans[i])
		}
		if at(len(c.claims)) {
			w.Claims(slices.Clone(c.claims[i]))
		}
		if at(len(c.rootRefs)) {
			w.RootRef(c.rootRefs[i])
		}
		if at(len(c.specials)) {
			w.Special(c.specials[i])
		}
		if at(len(c.goroutines)) {
			w.Goroutine(&c.goroutines[i])
		}
		if !more {
			return w.Close()
		}
	}
}

// encode returns the file of c.
func (c *contents) encode(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	w := NewWriter(&b)
	if err := c.write(w); err != nil {
		t.Fatal(err)
	}
	if w.Size() != int64(b.Len()) {
		t.Fatalf("Size is %d, want %d", w.Size(), b.Len())
	}
	return b.Bytes()
}

// small is a file with all kinds of records.
func small() *contents {
	return &contents{
		meta:    [][2]string{{"go.version", "go1.27"}, {"pointer.size", "8"}, {"empty", ""}},
		strings: []string{"main.T", "next", "main.head", "*main.T", "main.worker", "select", "key", "value"},
		types: []Type{
			{Name: 1, Size: 24, Fields: []Field{{0, 2, 2}, {16, 2, 1}}},
			{Name: 4, Size: 8},
		},
		nodes: []Node{
			{Class: FirstClass, Element: 3, Type: 1, Text: 1},
			{Parent: 1, Element: 2, Type: 1, Text: 1},
			{Parent: 1, Element: 2, Type: 1},
		},
		spans:      []Span{{Start: 1 << 20, Slots: 100, SlotSize: 3}, {Start: 0, Slots: 1, SlotSize: 1 << 40, Skip: 1}},
		refs:       [][]Pair{{{9, 1}, {3, 1 << 33}, {3, 5}, {1 << 62, 0}}, {{0, 0}}},
		claims:     [][]Pair{{{1 << 20, 1}}, {{7, 3}, {5, 1}}},
		rootRefs:   []RootRef{{0, 1, 1 << 20}, {1, 2, 3}},
		specials:   []Special{{6, 1, 1 << 20}, {3, 1, 2}},
		goroutines: []Goroutine{{Class: FirstClass, Func: 5, Wait: 6}, {Class: SecondClass, Func: 5, Labels: []Label{{7, 8}, {8, 7}}}},
	}
}

// sorted returns c in the order in which a reader finds it.
func (c *contents) sorted() *contents {
	s := *c
	for _, p := range []*[][]Pair{&s.refs, &s.claims} {
		batches := *p
		*p = nil
		for _, b := range batches {
			b = slices.Clone(b)
			slices.SortStableFunc(b, func(x, y Pair) int {
				if x.Addr < y.Addr {
					return -1
				} else if x.Addr > y.Addr {
					return 1
				}
				return 0
			})
			*p = append(*p, b)
		}
	}
	return &s
}

func TestRoundTrip(t *testing.T) {
	c := small()
	got, err := decode(c.encode(t))
	if err != nil {
		t.Fatal(err)
	}
	if want := c.sorted(); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

// TestRoundTripLarge has enough records to fill sections of several kinds.
func TestRoundTripLarge(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	c := new(contents)
	for i := range 50_000 {
		c.strings = append(c.strings, fmt.Sprint("string ", i, r.Uint64()))
		c.nodes = append(c.nodes, Node{Parent: r.Uint64N(uint64(i + 1)), Element: r.Uint64()})
		c.spans = append(c.spans, Span{Start: r.Uint64N(1 << 50), Slots: 1 + r.Uint64N(MaxSlots), SlotSize: 5, Skip: 1})
		c.rootRefs = append(c.rootRefs, RootRef{r.Uint64(), r.Uint64(), r.Uint64()})
		c.specials = append(c.specials, Special{r.Uint64(), r.Uint64(), r.Uint64()})
	}
	for n := range 20 {
		var refs []Pair
		for range n * 1000 {
			refs = append(refs, Pair{r.Uint64() >> r.IntN(64), r.Uint64() >> r.IntN(64)})
		}
		refs = append(refs, Pair{1, 1})
		c.refs = append(c.refs, refs)
		c.claims = append(c.claims, refs)
	}
	got, err := decode(c.encode(t))
	if err != nil {
		t.Fatal(err)
	}
	if want := c.sorted(); !reflect.DeepEqual(got, want) {
		t.Error("the file has other contents than were written")
	}
}

// TestLongBatch checks that a batch is split if it is longer than the longest
// payload.
func TestLongBatch(t *testing.T) {
	batch := make([]Pair, 300_000)
	for i := range batch {
		batch[i] = Pair{uint64(i) << 40, uint64(i%2) << 62}
	}
	c := &contents{refs: [][]Pair{batch}}
	got, err := decode(c.encode(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(got.refs) < 2 {
		t.Error("the batch is one section")
	}
	if !slices.Equal(slices.Concat(got.refs...), batch) {
		t.Error("the batch has other contents than were written")
	}
}

func TestEmpty(t *testing.T) {
	c := new(contents)
	got, err := decode(c.encode(t))
	if err != nil || !reflect.DeepEqual(got, c) {
		t.Errorf("got %v, %v", got, err)
	}
}

// failing is a writer that fails after as many bytes as its value says.
type failing int

var errFull = errors.New("disk is full")

func (f *failing) Write(b []byte) (int, error) {
	if len(b) > int(*f) {
		n := int(*f)
		*f = 0
		return n, errFull
	}
	*f -= failing(len(b))
	return len(b), nil
}

// TestWriteError checks that an error of the underlying writer is reported, at
// whichever byte it occurs.
func TestWriteError(t *testing.T) {
	c := small()
	size := len(c.encode(t))
	for n := range size {
		f := failing(n)
		w := NewWriter(&f)
		if err := c.write(w); err != errFull {
			t.Fatalf("after %d bytes, Close returned %v", n, err)
		}
		if w.Err() != errFull || w.Size() != int64(n) {
			t.Fatalf("after %d bytes, Err is %v and Size %d", n, w.Err(), w.Size())
		}
	}
	f := failing(size)
	if err := c.write(NewWriter(&f)); err != nil {
		t.Error(err)
	}
}

func TestWriteTooLong(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b)
	w.Meta("key", string(make([]byte, MaxPayload)))
	if err := w.Close(); err == nil {
		t.Error("no error")
	}
}

// TestLongStrings checks that strings lose what they have after MaxString bytes,
// and not a part of a character.
func TestLongStrings(t *testing.T) {
	long := strings.Repeat("x", MaxString)
	for _, test := range []struct{ s, want string }{
		{long, long},
		{long + "x", long},
		{long[1:] + "é", long[1:]},
		{long[2:] + "éx", long[2:] + "é"},
		{long[3:] + "\U0001f600", long[3:]},
		{long[1:] + "\xff\xff", long[1:] + "\xff"},
		{long[4:] + "\x80\x80\x80\x80\x80", long[4:] + "\x80\x80\x80\x80"},
		{strings.Repeat(long, 4), long},
	} {
		var b bytes.Buffer
		w := NewWriter(&b)
		if n, again := w.String(test.s), w.String(test.s); n != 1 || again != 1 {
			t.Errorf("the string has the numbers %d and %d", n, again)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if c, err := decode(b.Bytes()); err != nil || len(c.strings) != 1 || c.strings[0] != test.want {
			t.Errorf("%d bytes ending with %q are not written as %d bytes, error %v", len(test.s), test.s[len(test.s)-6:], len(test.want), err)
		}
	}
}

// TestWriteClosed checks that nothing is written after END.
func TestWriteClosed(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	n := b.Len()
	w.Claims([]Pair{{1, 1}})
	if err := w.Close(); err == nil || b.Len() != n {
		t.Errorf("after Close, Close returned %v and %d bytes were written", err, b.Len()-n)
	}
}
