// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file appends records to the payloads of a Writer. The package comment
// gives the form of records. Decoder reads them.

package heapgraph

import (
	"encoding/binary"
	"unicode/utf8"
	"unsafe"
)

// level is the level of deflate. Level 5 takes at least three times as long,
// and makes the file 10 to 25% shorter (BenchmarkRefs).
const level = 1

// uint appends a number. Inlined, it would be a third of this package's code.
//
//go:noinline
func (p *payload) uint(n uint64) { p.b = binary.AppendUvarint(p.b, n) }

// distance appends the distance between two addresses as a signed number. It is
// negative if the second address is the lower one.
//
//go:noinline
func (p *payload) distance(from, to uint64) { p.b = binary.AppendVarint(p.b, int64(to-from)) }

func (p *payload) text(s string) {
	p.uint(uint64(len(s)))
	p.b = append(p.b, s...)
}

// Meta sets the value of a key.
func (w *Writer) Meta(key, value string) {
	p := w.begin(KindMeta)
	p.text(key)
	p.text(value)
	w.end(KindMeta)
}

// String returns the number of the string s. It writes s if s is new, and not
// more than MaxString bytes of it. The number of the empty string is 0.
func (w *Writer) String(s string) uint64 {
	if s == "" {
		return 0
	}
	s = cutString(s)
	n, ok := w.strings[s]
	if !ok {
		w.begin(KindStrings).text(s)
		n = w.counts[KindStrings]
		w.strings[s] = n
		w.end(KindStrings)
	}
	return n
}

// cutString returns the first MaxString bytes of s, without a character of which
// they have only a part.
func cutString(s string) string {
	if len(s) <= MaxString {
		return s
	}
	for n := MaxString; n > MaxString-utf8.UTFMax; n-- {
		if utf8.RuneStart(s[n]) {
			return s[:n]
		}
	}
	return s[:MaxString]
}

// Type writes a type and returns its number. The fields must be in the order of
// their offsets.
func (w *Writer) Type(t *Type) uint64 {
	p := w.begin(KindTypes)
	p.uint(t.Name)
	p.uint(t.Size)
	p.uint(uint64(len(t.Fields)))
	var last uint64
	for _, f := range t.Fields {
		p.uint(f.Offset - last)
		p.uint(f.Name)
		p.uint(f.Type)
		last = f.Offset
	}
	w.end(KindTypes)
	return w.counts[KindTypes]
}

// Node writes a node and returns its number. The parent must have a lower
// number.
func (w *Writer) Node(n *Node) uint64 {
	p := w.begin(KindNodes)
	number := w.counts[KindNodes]
	if n.Parent == 0 {
		p.uint(0)
	} else {
		p.uint(number - n.Parent)
	}
	p.uint(n.Class)
	p.uint(n.Element)
	p.uint(n.Type)
	p.uint(n.Text)
	w.end(KindNodes)
	return number
}

// Span writes a span. A file is shortest if the spans come in the order of
// their addresses.
func (w *Writer) Span(s *Span) {
	p := w.begin(KindSpans)
	p.distance(p.addr, s.Start)
	p.uint(s.Slots)
	p.uint(s.SlotSize)
	p.uint(s.Skip)
	p.addr = s.End()
	w.end(KindSpans)
}

// Refs sorts a batch of references by the words that have them, and writes it.
// A batch is a section, or several if it is very long. Larger batches make a
// shorter file.
func (w *Writer) Refs(batch []Pair) { w.pairs(KindRefs, batch) }

// Claims sorts a batch of claims by their objects, and writes it as Refs does.
func (w *Writer) Claims(batch []Pair) { w.pairs(KindClaims, batch) }

func (w *Writer) pairs(k Kind, batch []Pair) {
	if len(w.order) < len(batch) {
		w.order = w.Pairs(len(batch))
	}
	sortPairs(batch, w.order)
	w.counts[k] += uint64(len(batch))
	const most = (MaxPayload - 2*binary.MaxVarintLen64) / (2 * binary.MaxVarintLen64) // number of records that always fit into a section
	for len(batch) > 0 {
		n := min(len(batch), most)
		p := &w.payloads[k]
		if bytes := 2 * binary.MaxVarintLen64 * n; cap(p.b) < bytes {
			p.b = w.alloc(bytes)[:0]
		}
		p.b = appendPairs(p.b, batch[:n], k == KindRefs)
		w.flush(k)
		batch = batch[n:]
	}
}

// Pairs returns memory for n records, from the function that Alloc has set.
func (w *Writer) Pairs(n int) []Pair {
	b := w.alloc(n * int(unsafe.Sizeof(Pair{})))
	return unsafe.Slice((*Pair)(unsafe.Pointer(unsafe.SliceData(b))), n)
}

// appendPairs appends the records of a section of REFS or CLAIMS to b. b is a
// local variable, because appendPairs runs while the collector marks, and each
// store to a field would execute a write barrier.
func appendPairs(b []byte, batch []Pair, refs bool) []byte {
	var last Pair
	for _, r := range batch {
		b = binary.AppendUvarint(b, r.Addr-last.Addr)
		if refs {
			b = binary.AppendVarint(b, int64(r.Value-last.Value))
		} else {
			b = binary.AppendUvarint(b, r.Value)
		}
		last = r
	}
	return b
}

// RootRef writes a reference from a root.
func (w *Writer) RootRef(r RootRef) {
	p := w.begin(KindRootRefs)
	p.uint(r.Goroutine)
	p.uint(r.Node)
	p.distance(p.target, r.Target)
	p.target = r.Target
	w.end(KindRootRefs)
}

// Special writes a reference from a special of an object.
func (w *Writer) Special(s Special) {
	w.begin(KindSpecials).special(s)
	w.end(KindSpecials)
}

// Owner writes which word or special has a reference of ROOTREFS, or that an
// object has a finalizer.
func (w *Writer) Owner(s Special) {
	w.owners.special(s)
	if len(w.owners.b) >= flushSize {
		w.flushOwners()
	}
}

// Sum writes sums of the objects of a node. Nodes must be in the order of their
// numbers.
func (w *Writer) Sum(s Sum) {
	w.sums.uint(s.Node - w.sums.addr)
	w.sums.uint(s.Scan)
	w.sums.uint(s.Unused)
	w.sums.addr = s.Node
	if len(w.sums.b) >= flushSize {
		w.flushPayload(KindSums, &w.sums)
	}
}

// Creator writes where a goroutine was started. Goroutines must be in the order
// of their numbers.
func (w *Writer) Creator(c Creator) {
	p := &w.creators
	p.uint(c.Goroutine - p.addr)
	p.uint(c.Func)
	p.uint(c.File)
	p.uint(c.Line)
	p.addr = c.Goroutine
	if len(p.b) >= flushSize {
		w.flushPayload(KindCreators, p)
	}
}

// Hull writes which part of an object references refer to.
func (w *Writer) Hull(h Hull) {
	p := &w.hulls
	p.distance(p.addr, h.Object)
	p.uint(h.First)
	p.uint(h.End - h.First)
	p.addr = h.Object
	if len(p.b) >= flushSize {
		w.flushPayload(KindHulls, p)
	}
}

// Wait writes how long a goroutine has waited. Goroutines must be in the order
// of their numbers.
func (w *Writer) Wait(x Wait) {
	p := &w.waits
	p.uint(x.Goroutine - p.addr)
	p.uint(x.Minutes)
	p.addr = x.Goroutine
	if len(p.b) >= flushSize {
		w.flushPayload(KindWaits, p)
	}
}

func (p *payload) special(s Special) {
	p.distance(p.addr, s.Object)
	p.uint(s.Node)
	p.distance(s.Object, s.Target)
	p.addr = s.Object
}

// Goroutine writes a goroutine and returns its number.
func (w *Writer) Goroutine(g *Goroutine) uint64 {
	p := w.begin(KindGoroutines)
	p.uint(g.Class)
	p.uint(g.Func)
	p.uint(g.Wait)
	p.uint(uint64(len(g.Labels)))
	for _, l := range g.Labels {
		p.uint(l.Key)
		p.uint(l.Value)
	}
	w.end(KindGoroutines)
	return w.counts[KindGoroutines]
}
