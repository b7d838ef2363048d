// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package vartable_test

import (
	"encoding/binary"
	"fmt"
	. "internal/vartable"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// A frameTest is a variable and the bytes of its entry. The four bytes of the
// type are 0.
type frameTest struct {
	v     FrameVar
	bytes string
}

var frameTests = []frameTest{
	{FrameVar{Place: PlaceCaptured, Form: FormPointer, Position: 1, Name: "p"}, "42 01 00000000 0170"},
	{FrameVar{Place: PlaceCaptured, Form: FormFunc, Position: 3, Name: Receiver}, "47 03 012e"},
	{FrameVar{Place: PlaceArg, Form: FormSlice, Name: "s"}, "53 00 00000000 0173"},
	{FrameVar{Place: PlaceArg, Form: FormString, Position: 127}, "14 7f"},
	{FrameVar{Place: PlaceArg, Form: FormEface, Position: 128}, "18 8001"},
	{FrameVar{Place: PlaceLocal, Form: FormValue, Position: 1<<32 - 1}, "21 ffffffff0f 00000000"},
	{FrameVar{Place: PlaceLocal, Form: FormMap, Position: 2, Count: 300, Name: "m"}, "75 02 ac02 00000000 016d"},
	{FrameVar{Place: PlaceLocal, Form: FormMapHeader, Position: 2, Name: "m"}, "75 02 00 00000000 016d"},
	{FrameVar{Place: PlaceLocal, Form: FormMapGroup, Position: 9, Itab: 2}, "31 09 00 00000000 02"},
	{FrameVar{Place: PlaceLocal, Form: FormChan, Shared: true}, "a6 00 00000000 00"},
	{FrameVar{Place: PlaceLocal, Form: FormUnsafe, Shared: true, Live: []int{0, 1, 200}}, "aa 00 03 00 01 c701"},
	{FrameVar{Place: PlaceLocal, Form: FormIface, Name: "e", InlineDepth: 1}, "69 00 00000000 03 00 00 65"},
	{FrameVar{Place: PlaceLocal, Form: FormClosure, Name: "f", InlineDepth: MaxInlineDepth, InlineHash: 1<<11 - 1}, "6b 00 03 1f ff 66"},
	{FrameVar{Place: PlaceLocal, Form: FormSliceData, Position: 4}, "2c 04 00000000"},
	{FrameVar{Place: PlaceLocal, Form: FormStringData, Position: 4}, "2d 04"},
	{FrameVar{Place: PlaceLocal, Form: FormIfaceData, Position: 6, Itab: 7}, "2e 06 00000000 07"},
	{FrameVar{Place: PlaceLocal, Form: FormEfaceData, Position: 6, Name: "a", Shared: true, Live: []int{5}}, "ef 06 0161 01 05 00"},
}

// setType sets the type in b, the entry of v, and returns it. It returns 0 if
// the form has no type.
func (test *frameTest) setType(b []byte, typeAt int) uint32 {
	if typeAt < 0 {
		return 0
	}
	typ := 0x01020304 * uint32(test.v.Form)
	binary.NativeEndian.PutUint32(b[typeAt:], typ)
	return typ
}

// check compares a decoded entry in b with the variable.
func (test *frameTest) check(t *testing.T, b []byte, got *FrameEntry, typ uint32, stackMap int32) {
	t.Helper()
	v := &test.v
	want := FrameEntry{
		At: got.At, Place: v.Place, Form: v.Form, Position: v.Position, Count: v.Count,
		Type: typ, Itab: v.Itab, InlineDepth: v.InlineDepth, InlineHash: v.InlineHash,
		Live:  !v.Shared || slices.Contains(v.Live, int(stackMap)),
		Named: v.Name != "", NameAt: got.NameAt, NameSize: len(v.Name), Dict: got.Dict,
	}
	if *got != want {
		t.Errorf("stack map %d: %+v, want %+v", stackMap, *got, want)
	}
	if name := string(b[got.NameAt:][:got.NameSize]); name != v.Name {
		t.Errorf("name %q, want %q", name, v.Name)
	}
}

func TestFrameVar(t *testing.T) {
	for _, test := range frameTests {
		t.Run(test.bytes, func(t *testing.T) {
			b, typeAt := test.v.Append([]byte("before"))
			if got, want := fmt.Sprintf("%x", b[len("before"):]), strings.ReplaceAll(test.bytes, " ", ""); got != want {
				t.Fatalf("%s, want %s", got, want)
			}
			if HasType(test.v.Form) != (typeAt >= 0) {
				t.Errorf("type at %d, HasType = %v", typeAt, HasType(test.v.Form))
			}
			typ := test.setType(b, typeAt)
			b = AppendEnd(b)[len("before"):]
			for stackMap := int32(-1); stackMap <= 201; stackMap++ {
				r := NewFrameReader(b)
				var got, end FrameEntry
				if !r.Next(&got, stackMap) || r.Next(&end, stackMap) {
					t.Fatalf("stack map %d: not one entry", stackMap)
				}
				test.check(t, b, &got, typ, stackMap)
				if got.At != 0 || got.Dict != (FrameDict{}) {
					t.Errorf("stack map %d: at %d, dictionary %+v", stackMap, got.At, got.Dict)
				}
			}
		})
	}
}

// TestFrameVars checks entries one after another, and that a reader that starts
// at one of them reads the same.
func TestFrameVars(t *testing.T) {
	b, starts, types := appendFrameTests(nil)
	r := NewFrameReader(b)
	var v FrameEntry
	for i, test := range frameTests {
		if !r.Next(&v, 5) || v.At != starts[i] {
			t.Fatalf("entry %d: at %d, want %d", i, v.At, starts[i])
		}
		test.check(t, b, &v, types[i], 5)
		tail := b[starts[i]:]
		again := NewFrameReader(tail)
		if !again.Next(&v, 5) || v.At != 0 {
			t.Fatalf("entry %d: at %d of what begins with it", i, v.At)
		}
		test.check(t, tail, &v, types[i], 5)
	}
	if r.Next(&v, 5) {
		t.Errorf("an entry more: %+v", v)
	}
}

// appendFrameTests appends the entries of all tests, and their end, to b. It
// returns where they start, and their types.
func appendFrameTests(b []byte) (_ []byte, starts []int, types []uint32) {
	for _, test := range frameTests {
		var typeAt int
		starts = append(starts, len(b))
		b, typeAt = test.v.Append(b)
		types = append(types, test.setType(b, typeAt))
	}
	return AppendEnd(b), starts, types
}

func TestFrameDict(t *testing.T) {
	v := FrameVar{Place: PlaceLocal, Form: FormUnsafe, Position: 1}
	plain, _ := v.Append(nil)
	for _, test := range []struct {
		name  string
		place uint8
		live  []int
		word  uint32
		bytes string
		want  map[int32]bool // whether the variable is live, by stack map
	}{
		{"local", PlaceLocal, []int{2, 4}, 3, "a0 8101 02 02 02" + "40 03", map[int32]bool{-1: false, 2: true, 3: false, 4: true}},
		{"argument", PlaceArg, nil, 200, "90 8101 00" + "40 c801", map[int32]bool{-1: false, 0: false}},
		{"captured", PlaceCaptured, nil, 0, "80 8101 00" + "40 00", map[int32]bool{-1: true, 0: true}},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := AppendTypeArg(AppendDict(nil, test.place, 129, test.live), test.word)
			if got, want := fmt.Sprintf("%x", b), strings.ReplaceAll(test.bytes, " ", ""); got != want {
				t.Errorf("%s, want %s", got, want)
			}
			second := len(b) + len(plain)
			b = append(append(b, plain...), plain...)
			b = AppendEnd(append(AppendTypeArg(b, test.word+1), plain...))
			for m, live := range test.want {
				r := NewFrameReader(b)
				for i, want := range []FrameEntry{
					{At: 0, Dict: FrameDict{Known: true, Word: test.word}},
					{At: second, Dict: FrameDict{Word: test.word}},
					{At: second + len(plain), Dict: FrameDict{Known: true, Word: test.word + 1}},
				} {
					want.Place, want.Form, want.Position, want.Live = v.Place, v.Form, v.Position, true
					want.Dict.Place, want.Dict.Position, want.Dict.Live = test.place, 129, live
					var got FrameEntry
					if ok := r.Next(&got, m); !ok || got != want {
						t.Errorf("stack map %d, entry %d: %+v, %v, want %+v", m, i, got, ok, want)
					}
				}
				if r.Next(new(FrameEntry), m) {
					t.Errorf("stack map %d: more than three entries", m)
				}
			}
		})
	}
}

// TestFrameVarsTruncated checks that a reader stops if the data end too early,
// and that it reads the entries before.
func TestFrameVarsTruncated(t *testing.T) {
	b, starts, _ := appendFrameTests(nil)
	for n := range len(b) {
		whole := 0
		for whole+1 < len(starts) && starts[whole+1] <= n {
			whole++
		}
		if n == len(b)-1 {
			whole++
		}
		r := NewFrameReader(b[:n:n])
		got := 0
		for v := (FrameEntry{}); r.Next(&v, 1); {
			got++
		}
		if got != whole || r.Next(new(FrameEntry), 1) {
			t.Errorf("first %d bytes: %d entries, want %d", n, got, whole)
		}
	}
}

func TestFrameVarsCorrupt(t *testing.T) {
	for _, test := range []struct{ name, bytes string }{
		{"varint of 35 bits", "\x24\x80\x80\x80\x80\x80\x00\x00"},
		{"name that is longer than the data", "\x64\x00\x05name"},
		{"name of 4 GiB", "\x64\x00\xff\xff\xff\xff\x0fname\x00"},
		{"4 Gi stack maps", "\xa4\x00\xff\xff\xff\xff\x0f\x00\x00"},
		{"records only", "\x40\x00\x40\x00\x40\x00"},
	} {
		r := NewFrameReader([]byte(test.bytes)[:len(test.bytes):len(test.bytes)])
		if v := (FrameEntry{}); r.Next(&v, -1) || r.Next(&v, -1) {
			t.Errorf("%s: entry %+v", test.name, v)
		}
	}
}

// TestFrameEntryPointers checks that FrameEntry has no pointers, so that the
// compiler makes no write barriers where the runtime decodes an entry.
func TestFrameEntryPointers(t *testing.T) {
	var check func(reflect.Type)
	check = func(typ reflect.Type) {
		switch kind := typ.Kind(); {
		case kind == reflect.Struct:
			for i := range typ.NumField() {
				check(typ.Field(i).Type)
			}
		case kind > reflect.Uintptr:
			t.Errorf("has a %v", typ)
		}
	}
	check(reflect.TypeFor[FrameEntry]())
}

func FuzzFrameVars(f *testing.F) {
	b, _, _ := appendFrameTests(AppendTypeArg(AppendDict(nil, PlaceArg, 1, []int{1, 2}), 3))
	f.Add(b, int32(1))
	f.Add([]byte{}, int32(-1))
	for _, test := range frameTests {
		b, _ := test.v.Append(nil)
		f.Add(AppendEnd(b), int32(0))
	}
	f.Fuzz(func(t *testing.T, b []byte, stackMap int32) {
		b = b[:len(b):len(b)]
		r, end := NewFrameReader(b), 0
		for v := (FrameEntry{}); r.Next(&v, stackMap); {
			if v.At < end || v.At >= len(b) {
				t.Fatalf("entry at %d of %d, and one before it up to %d or more", v.At, len(b), end)
			}
			if v.NameSize < 0 || v.NameSize > 0 && (v.NameAt <= v.At || v.NameAt+v.NameSize > len(b)) {
				t.Fatalf("entry at %d: name at %d, %d bytes", v.At, v.NameAt, v.NameSize)
			}
			end = max(v.At+1, v.NameAt+v.NameSize)
		}
	})
}
