// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file finds the types and functions of the program whose references a
// recording has. That program is this one, unless the recording was made from a
// core file.

package refpath

import (
	"internal/abi"
	"internal/profilerecord"
	"reflect"
	"unsafe"
)

// A Program has the types and functions to which the records of a recording
// refer.
type Program interface {
	// TypeAt returns the type to which a pointer in a record refers, or nil
	// if the pointer is nil. Types are compared by ==.
	TypeAt(unsafe.Pointer) reflect.Type

	// FunctionsAt returns the names of the functions that contain the call
	// that returns to pc, outermost first: more than one if calls are
	// inlined. There is at least one, which may be "".
	FunctionsAt(pc uintptr) []string

	// Captured returns the variables that closures of the function at pc
	// have captured, as nodes for references to them. Offset is that of the
	// variable in the closure.
	Captured(pc uintptr) []profilerecord.RefsNode

	// Map returns the layout of maps of a type.
	Map(unsafe.Pointer) MapLayout
}

// A MapLayout is the layout of the groups of a map, as abi.MapType has it.
type MapLayout struct {
	GroupSize, Keys, KeyStride, Elems, ElemStride uint64
	IndirectKey, IndirectElem                     bool
}

// thisProgram is the program that is running.
type thisProgram struct{}

func (*thisProgram) TypeAt(t unsafe.Pointer) reflect.Type { return TypeAt(t) }

func (*thisProgram) FunctionsAt(pc uintptr) (names []string) {
	for _, f := range framesAt(pc) {
		names = append(names, runtime_FrameSymbolName(&f))
	}
	return names
}

func (*thisProgram) Captured(pc uintptr) []profilerecord.RefsNode { return runtime_captured(pc) }

func (*thisProgram) Map(t unsafe.Pointer) MapLayout {
	m := (*abi.MapType)(t)
	return MapLayout{
		GroupSize: uint64(m.GroupSize), Keys: uint64(m.KeysOff), KeyStride: uint64(m.KeyStride),
		Elems: uint64(m.ElemsOff), ElemStride: uint64(m.ElemStride),
		IndirectKey: m.IndirectKey(), IndirectElem: m.IndirectElem(),
	}
}

// runtime_captured is defined in runtime/mrefsvars.go.
//
//go:linkname runtime_captured runtime.refpath_captured
func runtime_captured(pc uintptr) []profilerecord.RefsNode
