// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file decodes the records of a section. The Writer's methods encode them.

package heapgraph

import (
	"encoding/binary"
	"math"
)

// A Decoder decodes the payload of a section. A method for another kind of
// section than the Decoder's decodes nonsense. After an error, the records that
// methods return have no meaning, and More returns false.
type Decoder struct {
	b     []byte // bytes that are left
	kind  Kind
	index int
	err   error

	records      uint64
	addr, target uint64 // distances in the next record count from these
}

// More reports whether there is another record.
func (d *Decoder) More() bool { return len(d.b) > 0 }

// Err returns the first error.
func (d *Decoder) Err() error { return d.err }

// Kind returns the kind of the section.
func (d *Decoder) Kind() Kind { return d.kind }

// Records returns the number of records that have been decoded.
func (d *Decoder) Records() uint64 { return d.records }

// Error returns an error that names the section and has the given text.
func (d *Decoder) Error(text string) error { return sectionError(d.index, d.kind, text) }

// fail makes text the error, if there was none.
func (d *Decoder) fail(text string) {
	if d.err == nil {
		d.err = d.Error(text)
	}
	d.b = nil
}

const cut = "a record is cut or has a wrong number"

func (d *Decoder) uint() uint64 {
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.fail(cut)
		return 0
	}
	d.b = d.b[n:]
	return v
}

func (d *Decoder) int() int64 {
	v, n := binary.Varint(d.b)
	if n <= 0 {
		d.fail(cut)
		return 0
	}
	d.b = d.b[n:]
	return v
}

// sum returns a+b, where b is a distance in the file. It fails if the sum
// overflows.
func (d *Decoder) sum(a, b uint64) uint64 {
	if a > math.MaxUint64-b {
		d.fail("a distance is too long")
		return 0
	}
	return a + b
}

func (d *Decoder) text() string {
	n := d.uint()
	if n > uint64(len(d.b)) {
		d.fail(cut)
		return ""
	}
	s := string(d.b[:n])
	d.b = d.b[n:]
	return s
}

// items returns the number of items of a record. Each item has at least size
// bytes.
func (d *Decoder) items(size int) int {
	n := d.uint()
	if n > uint64(len(d.b)/size) {
		d.fail(cut)
		return 0
	}
	return int(n)
}

// class decodes a class.
func (d *Decoder) class() uint64 {
	c := d.uint()
	if c > SecondClass {
		d.fail("a class is not known")
		return InheritedClass
	}
	return c
}

// Meta decodes a record of META.
func (d *Decoder) Meta() (key, value string) {
	d.records++
	key = d.text()
	return key, d.text()
}

// String decodes a record of STRINGS.
func (d *Decoder) String() string {
	d.records++
	return d.text()
}

// Type decodes a record of TYPES.
func (d *Decoder) Type() (t Type) {
	d.records++
	t.Name = d.uint()
	t.Size = d.uint()
	n := d.items(3)
	if n == 0 {
		return t
	}
	t.Fields = make([]Field, n)
	var last uint64
	for i := range t.Fields {
		f := &t.Fields[i]
		f.Offset = d.sum(last, d.uint())
		f.Name = d.uint()
		f.Type = d.uint()
		last = f.Offset
	}
	return t
}

// Node decodes a record of NODES, which has the given number.
func (d *Decoder) Node(number uint64) (n Node) {
	d.records++
	if distance := d.uint(); distance >= number {
		d.fail("a node's parent does not exist")
	} else if distance != 0 {
		n.Parent = number - distance
	}
	n.Class = d.class()
	n.Element = d.uint()
	n.Type = d.uint()
	n.Text = d.uint()
	return n
}

// Span decodes a record of SPANS.
func (d *Decoder) Span() (s Span) {
	d.records++
	s.Start = d.addr + uint64(d.int())
	s.Slots = d.uint()
	s.SlotSize = d.uint()
	s.Skip = d.uint()
	const max = 2 * MaxWords // addresses in bytes have room in an int64, too
	if s.Slots-1 >= MaxSlots || s.SlotSize-1 >= max/s.Slots || s.Skip >= s.SlotSize || s.Start > max {
		d.fail("a span is impossible")
		return Span{}
	}
	d.addr = s.End()
	return s
}

// RootRef decodes a record of ROOTREFS.
func (d *Decoder) RootRef() (r RootRef) {
	d.records++
	r.Goroutine = d.uint()
	r.Node = d.uint()
	d.target += uint64(d.int())
	r.Target = d.target
	return r
}

// Special decodes a record of SPECIALS or OWNERS.
func (d *Decoder) Special() (s Special) {
	d.records++
	d.addr += uint64(d.int())
	s.Object = d.addr
	s.Node = d.uint()
	s.Target = s.Object + uint64(d.int())
	return s
}

// Sum decodes a record of SUMS.
func (d *Decoder) Sum() (s Sum) {
	d.records++
	d.addr = d.sum(d.addr, d.uint())
	s.Node = d.addr
	s.Scan = d.uint()
	s.Unused = d.uint()
	return s
}

// Creator decodes a record of CREATORS.
func (d *Decoder) Creator() (c Creator) {
	d.records++
	d.addr = d.sum(d.addr, d.uint())
	c.Goroutine = d.addr
	c.Func = d.uint()
	c.File = d.uint()
	c.Line = d.uint()
	return c
}

// Hull decodes a record of HULLS.
func (d *Decoder) Hull() (h Hull) {
	d.records++
	d.addr += uint64(d.int())
	h.Object = d.addr
	h.First = d.uint()
	h.End = d.sum(h.First, d.uint())
	return h
}

// Wait decodes a record of WAITS.
func (d *Decoder) Wait() (x Wait) {
	d.records++
	d.addr = d.sum(d.addr, d.uint())
	x.Goroutine = d.addr
	x.Minutes = d.uint()
	return x
}

// Goroutine decodes a record of GOROUTINES.
func (d *Decoder) Goroutine() (g Goroutine) {
	d.records++
	g.Class = d.class()
	g.Func = d.uint()
	g.Wait = d.uint()
	n := d.items(2)
	if n == 0 {
		return g
	}
	g.Labels = make([]Label, n)
	for i := range g.Labels {
		g.Labels[i] = Label{Key: d.uint(), Value: d.uint()}
	}
	return g
}

// Pairs decodes records of REFS or CLAIMS to dst and returns their number:
// len(dst), or less at the end of the section or after an error.
func (d *Decoder) Pairs(dst []Pair) int {
	signed := d.kind == KindRefs
	n := 0
	for n < len(dst) && len(d.b) > 0 {
		addr := d.sum(d.addr, d.number())
		v := d.number()
		if signed {
			v = d.target + uint64(int64(v>>1)^-int64(v&1))
		}
		if d.err != nil {
			break
		}
		d.addr, d.target = addr, v
		dst[n] = Pair{addr, v}
		n++
	}
	d.records += uint64(n)
	return n
}

// number is as uint, but faster for short numbers.
func (d *Decoder) number() uint64 {
	b := d.b
	if len(b) > 0 && b[0] < 0x80 {
		d.b = b[1:]
		return uint64(b[0])
	}
	return d.uint()
}
