// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package core

import (
	"encoding/binary"
	"internal/heapgraph"
	"internal/profilerecord"
	"testing"
)

// structAt is the address of the structure that a test reads. Each field of the
// structure takes a word.
const structAt = 1 << 16

// structProcess returns a process with a structure at structAt. fields has the
// values of fields by the indices of the fields' offsets, and numbers has
// values of the record that are not offsets.
func structProcess(fields, numbers map[int]uint64) *process {
	p := &process{memory: new(memory)}
	p.offs = make([]uint16, profilerecord.NumCoreOffs)
	b := make([]byte, 8*len(p.offs))
	for i := range p.offs {
		p.offs[i] = uint16(8 * i)
		binary.LittleEndian.PutUint64(b[8*i:], fields[i])
	}
	for i, n := range numbers {
		p.offs[i] = uint16(n)
	}
	p.core = []segment{{structAt, b}}
	return p
}

// TestDamagedSection checks that a section whose addresses are impossible has
// no words.
func TestDamagedSection(t *testing.T) {
	const start, end, mask = profilerecord.CoreModuleData, profilerecord.CoreModuleDataEnd, profilerecord.CoreModuleDataMask
	for _, test := range []struct {
		start, end uint64
		words      int
	}{
		{0x1000, 0x1040, 8},
		{0x1000, 0x1000, 0},
		{0x1040, 0x1000, 0},
		{^uint64(0), ^uint64(0), 0},
		{^uint64(0) - 63, ^uint64(0), 0},
		{0, ^uint64(0), 0},
		{1 << 62, 1<<62 + 64, 0},
	} {
		p := structProcess(map[int]uint64{start: test.start, end: test.end, mask: structAt + mask*8 + 8, mask + 1: ^uint64(0)},
			map[int]uint64{profilerecord.CoreBitvectorData: 0})
		s := p.dataSection(structAt, start, end, mask)
		words := 0
		s.pointers(s.start, s.end, func(uint64) { words++ })
		s.pointers(0, ^uint64(0), func(uint64) { words++ })
		if words != 2*test.words {
			t.Errorf("the section from %#x to %#x has %d words, want %d", test.start, test.end, words/2, test.words)
		}
	}
}

// TestDamagedSpan checks that spans that the file cannot have are left out.
func TestDamagedSpan(t *testing.T) {
	const base = 1 << 20
	for _, test := range []struct {
		name                         string
		base, slots, slotSize, pages uint64
		header                       uint64
		ok                           bool
	}{
		{"small", base, heapgraph.MaxSlots, 8, 1, 8, true},
		{"header", base, 8, 1024, 1, 8, true},
		{"too many slots", base, heapgraph.MaxSlots + 1, 8, 2, 8, false},
		{"header is too long", base, 8, 1024, 1, 1024, false},
		{"no slots", base, 0, 1024, 1, 8, false},
		{"slots beyond the end", base, 9, 1024, 1, 8, false},
		{"address is too high", 1 << 62, 8, 1024, 1, 8, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := structProcess(map[int]uint64{
				profilerecord.CoreSpanState: 1, profilerecord.CoreSpanClass: 2 << 1,
				profilerecord.CoreSpanBase: test.base, profilerecord.CoreSpanPages: test.pages,
				profilerecord.CoreSpanSlots: test.slots, profilerecord.CoreSpanSlotSize: test.slotSize,
			}, map[int]uint64{
				profilerecord.CoreSpanInUse: 1, profilerecord.CoreMaxHeaderless: 512,
				profilerecord.CoreHeaderSize: test.header, profilerecord.CoreMinInlineMarks: 1 << 15,
			})
			p.core = append(p.core, segment{test.base, make([]byte, 4*pageSize)})
			if _, ok := p.readSpan(structAt); ok != test.ok || p.damaged.spans == 1 == test.ok {
				t.Errorf("the span is read: %v, and %d are damaged; want %v", ok, p.damaged.spans, test.ok)
			}
		})
	}
}
