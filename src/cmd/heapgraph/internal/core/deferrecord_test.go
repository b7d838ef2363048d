// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package core

import (
	"encoding/binary"
	"internal/profilerecord"
	"slices"
	"testing"
)

// TestDeferRecord looks up each record of a list that is as long as that of a
// goroutine that defers in a loop.
func TestDeferRecord(t *testing.T) {
	const (
		n             = 300000
		base, g, size = 1 << 20, 1 << 10, 48
		first         = 8
		sp, fn, link  = 16, 32, 40
		stride        = 64
		end           = base + n*stride
	)
	b := make([]byte, n*stride)
	record := func(i int) uint64 { return base + uint64(i*7919%n)*stride } // not in the order of addresses
	setLink := func(i int, to uint64) { binary.LittleEndian.PutUint64(b[record(i)-base+link:], to) }
	for i := range n - 1 {
		setLink(i, record(i+1))
	}
	p := &process{memory: new(memory)}
	head := binary.LittleEndian.AppendUint64(make([]byte, first), record(0))
	p.core = []segment{{g, head}, {base, b}}
	p.offs = make([]uint16, profilerecord.NumCoreOffs)
	p.offs[profilerecord.CoreGDefer], p.offs[profilerecord.CoreDeferLink], p.offs[profilerecord.CoreDeferSize] = first, link, size

	st := &stackMarker{marker: &marker{process: p}, g: &goroutine{addr: g}}
	for i := range n {
		next := uint64(0)
		if i < n-1 {
			next = record(i + 1)
		}
		for _, x := range []struct{ at, val, want uint64 }{
			{record(i), 1, record(i)},
			{record(i) + fn, 1, record(i)},
			{record(i) + link, next, next},
			{record(i) + size, 1, 0},
			{0, record(i), record(i)},
			{0, record(i) + sp, 0},
		} {
			if d := st.deferRecord(x.at, x.val); d != x.want {
				t.Fatalf("record %d: the word at %#x with %#x is in the record %#x, want %#x", i, x.at, x.val, d, x.want)
			}
		}
	}
	if d := st.deferRecord(end, end); d != 0 {
		t.Errorf("a word of no record is in %#x", d)
	}

	setLink(n-1, record(n/2)) // damaged
	seen := make(map[uint64]bool)
	total := 0
	for d := range p.deferList(st.g) {
		seen[d] = true
		total++
	}
	if len(seen) != n || total > 4*n {
		t.Errorf("a list of %d records that has no end has %d in %d steps", n, len(seen), total)
	}
	if list := slices.Collect(p.deferList(&goroutine{addr: 1})); len(list) != 0 {
		t.Errorf("a goroutine without records has %d", len(list))
	}
}
