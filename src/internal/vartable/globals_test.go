// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package vartable_test

import (
	"encoding/binary"
	"fmt"
	. "internal/vartable"
	"slices"
	"strings"
	"testing"
)

// A globalsTable is the content of a table.
type globalsTable struct {
	data    int
	entries []Global
	names   []byte
}

func (t *globalsTable) encode(order ByteOrder) []byte {
	b := make([]byte, GlobalsSize(len(t.entries), len(t.names)))
	PutGlobals(b, order, t.data, t.entries, t.names)
	return b
}

// testGlobals returns a table whose names have two prefixes. The length of one
// prefix and that of one name take more than a byte.
func testGlobals() (*globalsTable, []string) {
	long := strings.Repeat("long/", 50) + "pkg."
	names := AppendPrefix(nil, "main.")
	other := uint32(len(names))
	names = AppendPrefix(names, long)
	var at []uint32
	var full []string
	for _, name := range []struct {
		prefix uint32
		text   string
	}{{0, "a"}, {other, "b"}, {0, strings.Repeat("c", 128)}, {0, ""}} {
		at = append(at, uint32(len(names)))
		names = AppendName(names, name.prefix, name.text)
		full = append(full, map[uint32]string{0: "main.", other: long}[name.prefix]+name.text)
	}
	return &globalsTable{data: 1, names: names, entries: []Global{
		{Offset: 8, Type: 0x10203040, Name: at[0]},
		{Offset: 0, Name: at[1]},
		{Offset: 16, Runtime: true, Type: 1<<32 - 1, Name: at[2]},
		{Offset: 1<<32 - 2, Runtime: true, Name: at[3]},
	}}, full
}

func TestGlobalsBytes(t *testing.T) {
	names := AppendName(AppendPrefix(nil, "p."), 0, "v")
	table := &globalsTable{1, []Global{
		{Offset: 0x20, Type: 0x1234, Name: 3},
		{Offset: 0x10, Runtime: true, Name: 3},
	}, names}
	for _, test := range []struct {
		order ByteOrder
		want  string
	}{
		{binary.LittleEndian, "01000000 01000000 01000000 06000000" +
			"20000000 34120000 03000000" + "11000000 00000000 03000000" + "02702e 000176"},
		{binary.BigEndian, "00000001 00000001 00000001 00000006" +
			"00000020 00001234 00000003" + "00000011 00000000 00000003" + "02702e 000176"},
	} {
		want := strings.ReplaceAll(test.want, " ", "")
		if got := fmt.Sprintf("%x", table.encode(test.order)); got != want {
			t.Errorf("%v: %s, want %s", test.order, got, want)
		}
	}
}

func TestGlobalsRoundTrip(t *testing.T) {
	table, names := testGlobals()
	for _, size := range []int{0, 1, len(table.entries)} {
		in := &globalsTable{min(table.data, size), table.entries[:size], table.names}
		b := in.encode(binary.NativeEndian)
		if got := GlobalsSizeAt((*[GlobalsHeaderSize]byte)(b)); got != len(b) {
			t.Errorf("%d entries: size %d, want %d", size, got, len(b))
		}
		got := DecodeGlobals(append(b, "other data"...))
		if got.Len() != size || got.Data() != in.data {
			t.Fatalf("%d entries, %d in data, want %d, %d", got.Len(), got.Data(), size, in.data)
		}
		for i, want := range in.entries {
			g := got.At(i)
			if g != want {
				t.Errorf("entry %d: %+v, want %+v", i, g, want)
			}
			prefix, rest, ok := got.Name(g.Name)
			if name := string(prefix) + string(rest); !ok || name != names[i] {
				t.Errorf("entry %d: name %q, %v, want %q", i, name, ok, names[i])
			}
		}
	}
}

// TestGlobalsCorrupt checks that nothing is read from tables that are not
// complete.
func TestGlobalsCorrupt(t *testing.T) {
	table, _ := testGlobals()
	whole := table.encode(binary.NativeEndian)
	for n := range len(whole) {
		if got := DecodeGlobals(whole[:n:n]); got.Len() != 0 || got.Data() != 0 {
			t.Errorf("first %d bytes: %d entries", n, got.Len())
		}
	}
	for word, name := range []string{"version", "entries in data", "entries in bss", "size of names"} {
		b := slices.Clone(whole)
		binary.NativeEndian.PutUint32(b[4*word:], 1<<32-1)
		if got := DecodeGlobals(b); got.Len() != 0 || got.Data() != 0 {
			t.Errorf("wrong %s: %d entries", name, got.Len())
		}
	}
	for _, test := range []struct{ name, bytes string }{
		{"nothing", ""},
		{"no end of prefix", "\xff\xff"},
		{"varint of 35 bits", "\x00\x80\x80\x80\x80\x80\x00"},
		{"no length", "\x00"},
		{"prefix behind the names", "\x02\x00"},
		{"prefix far behind the names", "\xff\xff\xff\xff\x0f\x00"},
		{"text longer than the names", "\x00\x01"},
		{"text much longer than the names", "\x00\xff\xff\xff\xff\x0f"},
		{"prefix longer than the names", "\x02\x00\x01"},
	} {
		b := (&globalsTable{names: []byte(test.bytes)}).encode(binary.NativeEndian)
		got := DecodeGlobals(b[:len(b):len(b)])
		if prefix, rest, ok := got.Name(0); ok {
			t.Errorf("%s: name %q, %q", test.name, prefix, rest)
		}
	}
}

func FuzzGlobals(f *testing.F) {
	table, _ := testGlobals()
	f.Add(table.encode(binary.NativeEndian))
	f.Add((&globalsTable{}).encode(binary.NativeEndian))
	f.Fuzz(func(t *testing.T, b []byte) {
		got := DecodeGlobals(b)
		if n := GlobalsSize(got.Len(), 0); got.Len() != 0 && n > len(b) || got.Data() > got.Len() {
			t.Fatalf("%d entries, %d in data, of %d bytes", got.Len(), got.Data(), len(b))
		}
		for i := range got.Len() {
			if prefix, rest, ok := got.Name(got.At(i).Name); ok && len(prefix)+len(rest) > 2*len(b) {
				t.Fatalf("name of %d bytes", len(prefix)+len(rest))
			}
		}
		for offset := range len(b) + 1 {
			got.Name(uint32(offset))
		}
	})
}
