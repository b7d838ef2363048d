// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package core

import (
	"encoding/binary"
	"internal/abi"
	"internal/refpath"
	"runtime/debug"
	"strings"
	"testing"
)

// A typeImage is memory with type descriptors. Each descriptor has room for
// typeRoom bytes.
type typeImage []byte

const (
	imageBase = 1 << 20
	typeRoom  = 1 << 10
	nameRoom  = 256 // offset of the name in the room
	listRoom  = 512 // offset of the fields in the room
)

// addr returns the address of descriptor i.
func (m typeImage) addr(i int) uint64 { return imageBase + uint64(i)*typeRoom }

// put writes words at an offset of descriptor i.
func (m typeImage) put(i int, off uint64, words ...uint64) {
	for k, w := range words {
		binary.LittleEndian.PutUint64(m[i*typeRoom+int(off)+8*k:], w)
	}
}

// text writes a name at an offset of descriptor i, and returns its distance
// from the first descriptor.
func (m typeImage) text(i int, off int, text string) uint32 {
	at := i*typeRoom + off
	copy(m[at+1:], binary.AppendUvarint(nil, uint64(len(text))))
	copy(m[at+1+len(binary.AppendUvarint(nil, uint64(len(text)))):], text)
	return uint32(at)
}

// define makes descriptor i.
func (m typeImage) define(i int, kind abi.Kind, flags abi.TFlag, size uint64, text string, words ...uint64) {
	m.put(i, 0, size, 0)
	m[i*typeRoom+typeFlags], m[i*typeRoom+typeKind] = byte(flags), byte(kind)
	binary.LittleEndian.PutUint32(m[i*typeRoom+typeStr:], m.text(i, nameRoom, text))
	m.put(i, typeEnd, words...)
}

// structure makes descriptor i, of a struct type. fields are types and offsets
// alternately.
func (m typeImage) structure(i int, flags abi.TFlag, size uint64, text string, fields ...uint64) {
	list := m.addr(i) + listRoom
	n := uint64(len(fields) / 2)
	m.define(i, abi.Struct, flags, size, text, 0, list, n, n)
	for k := range n {
		name := uint64(imageBase + m.text(i, 400, "f"))
		m.put(i, listRoom+k*fieldSize, name, m.addr(int(fields[2*k])), fields[2*k+1])
	}
}

// process returns a process that has the descriptors.
func (m typeImage) process() *process {
	p := &process{memory: new(memory), types: make(map[uint64]*Type), copyAt: make(map[uintptr]*Type)}
	p.paths.Heap = heapOf{p}
	p.core = []segment{{imageBase, m}}
	p.modules = []*module{{types: imageBase, typesEnd: imageBase + uint64(len(m))}}
	return p
}

// TestDamagedTypes checks that walks of damaged types end, and that types that
// are not damaged keep their names.
func TestDamagedTypes(t *testing.T) {
	const named = abi.TFlagNamed
	for _, test := range []struct {
		name string
		make func(m typeImage)
		want string // name of type 0, or "" if it is refused
	}{
		{"list", func(m typeImage) {
			m.structure(0, named, 8, "main.List", 1, 0)
			m.define(1, abi.Pointer, 0, 8, "*main.List", m.addr(0))
		}, "main.List"},
		{"mutual", func(m typeImage) {
			m.structure(0, named, 24, "main.A", 1, 0, 2, 8)
			m.define(1, abi.Pointer, 0, 8, "*main.B", m.addr(2))
			m.structure(2, named, 16, "main.B", 3, 0, 3, 8)
			m.define(3, abi.Pointer, 0, 8, "*main.A", m.addr(0))
		}, "main.A"},
		{"unnamed", func(m typeImage) {
			m.structure(0, 0, 16, "struct { f *main.T; f int }", 1, 0, 3, 8)
			m.define(1, abi.Pointer, 0, 8, "*main.T", m.addr(2))
			m.structure(2, named, 0, "main.T")
			m.define(3, abi.Int, named, 8, "int")
		}, "struct { f *main.T; f int }"},
		{"pointer to itself", func(m typeImage) { m.define(0, abi.Pointer, 0, 8, "*T", m.addr(0)) }, ""},
		{"name is empty", func(m typeImage) { m.define(0, abi.Slice, named, 24, "", m.addr(0)) }, ""},
		{"name ends with a dot", func(m typeImage) { m.define(0, abi.Slice, named, 24, "main.", m.addr(0)) }, ""},
		{"names are empty", func(m typeImage) {
			m.structure(0, named, 8, "", 1, 0)
			m.define(1, abi.Pointer, named, 8, "", m.addr(2))
			m.structure(2, named, 8, "", 1, 0)
		}, ""},
		{"struct in itself", func(m typeImage) { m.structure(0, named, 8, "main.T", 0, 0) }, ""},
		{"struct in its field", func(m typeImage) {
			m.structure(0, named, 8, "main.T", 1, 0)
			m.structure(1, named, 8, "main.U", 0, 0)
		}, ""},
		{"struct in what its pointer refers to", func(m typeImage) {
			m.structure(0, named, 16, "main.T", 1, 0, 2, 8)
			m.define(1, abi.Pointer, 0, 8, "*main.U", m.addr(2))
			m.structure(2, named, 8, "main.U", 0, 0)
		}, ""},
		{"array of no element in itself", func(m typeImage) { m.define(0, abi.Array, named, 0, "main.T", m.addr(0), 0, 0) }, ""},
		{"array in itself", func(m typeImage) { m.define(0, abi.Array, named, 8, "main.T", m.addr(0), 0, 1) }, ""},
		{"fields overlap", func(m typeImage) {
			m.structure(0, named, 16, "main.T", 1, 0, 1, 4)
			m.define(1, abi.Int, named, 8, "int")
		}, ""},
		{"fields not in order", func(m typeImage) {
			m.structure(0, named, 16, "main.T", 1, 8, 1, 0)
			m.define(1, abi.Int, named, 8, "int")
		}, ""},
		{"map of itself", func(m typeImage) { m.define(0, abi.Map, 0, 8, "map[T]T", m.addr(0), m.addr(0)) }, ""},
		{"function of itself", func(m typeImage) {
			m.define(0, abi.Func, 0, 8, "func(T)", 1)
			m.put(0, 56, m.addr(0))
		}, ""},
		{"variadic without parameters", func(m typeImage) { m.define(0, abi.Func, 0, 8, "func()", 1<<31) }, "func()"},
		{"text is too long", func(m typeImage) {
			const depth = 60
			for i := range uint64(depth) {
				m.structure(int(i), 0, 0, "struct", i+1, 0, i+1, 0)
			}
			m.structure(depth, 0, 0, "struct {}")
		}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := make(typeImage, 64*typeRoom)
			test.make(m)
			p := m.process()
			typ := p.typeAt(m.addr(0))
			if test.want == "" && typ != nil {
				t.Errorf("the type is not refused: %s", refpath.FullName(typ))
			} else if test.want != "" && typ == nil {
				t.Fatal("the type is refused")
			} else if typ != nil && refpath.FullName(typ) != test.want {
				t.Errorf("the name is %s, want %s", refpath.FullName(typ), test.want)
			}
			for i := range 64 { // types that are left must have an end
				if typ := p.typeAt(m.addr(i)); typ != nil {
					if text := refpath.FullName(typ); len(text) > 2*maxText {
						t.Errorf("the name of type %d has %d bytes", i, len(text))
					}
					p.paths.SlotAt(typ.native(), 0)
					typ.mask()
				}
			}
			if n := len(p.typeChecks.todo); n != 0 || p.typeChecks.runs {
				t.Errorf("%d types are not checked", n)
			}
		})
	}
}

// TestManyTypes checks that a long chain of types, each of which refers to the
// next, is read without recursion.
func TestManyTypes(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(1 << 20))
	const n = 1 << 14
	m := make(typeImage, n*typeRoom)
	for i := range n - 1 {
		m.structure(i, abi.TFlagNamed, 8, "main.T", uint64(i+1), 0)
		if i%2 == 0 {
			m.define(i, abi.Pointer, abi.TFlagNamed, 8, "main.P", m.addr(i+1))
		}
	}
	p := m.process()
	typ := p.typeAt(m.addr(0))
	if typ == nil || !strings.HasPrefix(refpath.FullName(typ), "main.P") {
		t.Fatalf("the type is %v", typ)
	}
}
