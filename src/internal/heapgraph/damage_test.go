// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package heapgraph_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	. "internal/heapgraph"
	"runtime"
	"slices"
	"testing"
)

// TestTruncated cuts a file at each byte. The error must be that the file is
// incomplete, and not that it is damaged.
func TestTruncated(t *testing.T) {
	b := small().encode(t)
	for n := range b {
		if _, err := decode(b[:n]); !errors.Is(err, ErrIncomplete) {
			t.Errorf("%d bytes of %d: error is %v", n, len(b), err)
		}
	}
	if _, err := decode(append(b, 0)); err == nil || errors.Is(err, ErrIncomplete) {
		t.Errorf("with a byte more, error is %v", err)
	}
}

// shrinking is a file that has become shorter than its size.
type shrinking struct{ *bytes.Reader }

func TestShrinking(t *testing.T) {
	b := small().encode(t)
	for n := range b {
		f, err := Open(shrinking{bytes.NewReader(b[:n])}, int64(len(b)))
		if err == nil {
			t.Fatalf("opened %v of %d bytes of %d", f, n, len(b))
		}
		if !errors.Is(err, ErrIncomplete) {
			t.Errorf("%d bytes of %d: error is %v", n, len(b), err)
		}
	}
}

// TestFlipped flips each bit of a file, or with -short one of each byte.
func TestFlipped(t *testing.T) {
	b := small().encode(t)
	for i := range b {
		for bit := range 8 {
			if testing.Short() && bit != i%8 {
				continue
			}
			c := slices.Clone(b)
			c[i] ^= 1 << bit
			if _, err := decode(c); err == nil {
				t.Errorf("byte %d of %d, bit %d: no error", i, len(b), bit)
			}
		}
	}
}

// section returns a section whose payload is stored as it is, unless length
// says otherwise.
func section(k Kind, length int, stored []byte) []byte {
	b := []byte{byte(k)}
	b = binary.LittleEndian.AppendUint32(b, uint32(length))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(stored)))
	table := crc32.MakeTable(crc32.Castagnoli)
	sum := crc32.Update(crc32.Checksum(b, table), table, stored)
	return append(binary.LittleEndian.AppendUint32(b, sum), stored...)
}

// file returns a file with an empty META, one other section, and an END with
// the right counts.
func file(k Kind, length, records int, stored []byte) []byte {
	b := append([]byte(Magic), section(KindMeta, 0, nil)...)
	b = append(b, section(k, length, stored)...)
	end := make([]byte, 11)
	end[0] = 2
	if int(k) < len(end) {
		end[k] = byte(records)
	}
	return append(b, section(KindEnd, len(end), end)...)
}

func TestOptional(t *testing.T) {
	for k, ok := range map[Kind]bool{
		0: false, KindClaims: true, 11: false, 126: false, 128: true, 255: true,
	} {
		b := file(k, 2, 1, []byte{1, 1})
		if _, err := decode(b); (err == nil) != ok {
			t.Errorf("kind %d: error is %v", k, err)
		}
		if k < 128 {
			continue
		}
		b[bytes.LastIndex(b, []byte{1, 1})] ^= 1
		if _, err := decode(b); err == nil {
			t.Errorf("kind %d, damaged: no error", k)
		}
	}
}

// TestContradictions checks files that are wrong although their checksums are
// right.
func TestContradictions(t *testing.T) {
	const big = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
	for _, test := range []struct {
		name    string
		kind    Kind
		length  int
		records int
		stored  string
	}{
		{"number of records", KindClaims, 2, 2, "\x01\x01"},
		{"cut number", KindClaims, 2, 1, "\x01\x81"},
		{"cut record", KindClaims, 1, 1, "\x01"},
		{"number of more than 64 bits", KindClaims, 12, 1, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x01"},
		{"text", KindStrings, 11, 1, big + "a"},
		{"text by one", KindStrings, 2, 1, "\x02a"},
		{"fields", KindTypes, 12, 1, "\x01\x01" + big},
		{"distances of fields", KindTypes, 27, 1, "\x01\x01\x02" + big + "\x01\x01" + big + "\x01\x01"},
		{"labels", KindGoroutines, 12, 1, "\x01\x01" + big},
		{"parent", KindNodes, 5, 1, "\x01\x01\x01\x01\x01"},
		{"parent far away", KindNodes, 14, 1, big + "\x01\x01\x01\x01"},
		{"distances", KindRefs, 22, 2, big + "\x01" + big + "\x01"},
		{"slots", KindSpans, 5, 1, "\x00\x81\x08\x01\x00"},
		{"no slots", KindSpans, 4, 1, "\x00\x00\x01\x00"},
		{"size of a slot", KindSpans, 13, 1, "\x00\x01" + big + "\x00"},
		{"no size of a slot", KindSpans, 4, 1, "\x00\x01\x00\x00"},
		{"no value in a slot", KindSpans, 4, 1, "\x00\x01\x01\x01"},
		{"span before the arena", KindSpans, 4, 1, "\x01\x01\x01\x00"},
		{"length", KindStrings, MaxPayload + 1, 1, "\x00"},
		{"stored length", KindStrings, 1, 1, "\x00\x00"},
		{"deflated payload", KindStrings, 100, 1, "\x07\x07\x07"},
		{"too short when inflated", KindStrings, 100, 1, "\x03\x00"},
		{"second END", KindEnd, 0, 0, ""},
	} {
		b := file(test.kind, test.length, test.records, []byte(test.stored))
		if _, err := decode(b); err == nil || errors.Is(err, ErrIncomplete) {
			t.Errorf("%s: error is %v", test.name, err)
		}
	}
}

// TestMetaFirst checks that a file begins with META.
func TestMetaFirst(t *testing.T) {
	b := append([]byte(Magic), section(KindClaims, 2, []byte{1, 1})...)
	b = append(b, section(KindEnd, 11, []byte{1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0})...)
	if _, err := decode(b); err == nil {
		t.Error("no error")
	}
}

// TestHostileLengths checks that the memory that a reader takes is bounded by
// the size of the payloads, and not by the numbers in the file.
func TestHostileLengths(t *testing.T) {
	const big = "\xff\xff\xff\xff\xff\xff\xff\xff\x7f"
	for _, k := range []Kind{KindStrings, KindTypes, KindGoroutines, KindMeta} {
		b := file(k, 20, 1, []byte(big+big+"\x00\x00"))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := decode(b); err == nil {
			t.Errorf("%v: no error", k)
		}
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > 4<<20 {
			t.Errorf("%v: %d bytes were allocated", k, n)
		}
	}
}

// FuzzDecode decodes files with any content.
func FuzzDecode(f *testing.F) {
	f.Add(small().encode(f))
	f.Add(file(KindRefs, 2, 1, []byte{1, 1}))
	f.Add(file(KindTypes, 3, 1, []byte{1, 1, 0}))
	f.Fuzz(func(t *testing.T, b []byte) {
		decode(b)
	})
}

// FuzzPayload decodes payloads of all kinds in a file whose checksums are
// right.
func FuzzPayload(f *testing.F) {
	f.Add(byte(KindRefs), []byte{1, 1, 2, 3})
	f.Add(byte(KindTypes), []byte{1, 1, 1, 1, 1, 1})
	f.Add(byte(KindGoroutines), []byte{1, 1, 1, 1, 1})
	f.Fuzz(func(t *testing.T, k byte, payload []byte) {
		for records := range 4 {
			decode(file(Kind(k), len(payload), records, payload))
		}
	})
}
