// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package abi

// Frame variables name what the pointers in a function's frame, and in its
// closures, belong to. cmd/compile/internal/liveness/framevars.go writes them as
// the function's FUNCDATA_FrameVars and runtime/mrefsvars.go reads them; what both
// must agree on is here.
//
// The data are entries and a zero byte. All variables that a stack map of the
// function has a bit of are there, and its stack objects. Entries for variables that
// the function's closures capture come first. Then those of arguments and those of
// locals follow, each by descending address, so that a word belongs to the first
// variable that does not start behind it.
//
// What has the type of a type argument, in generic code, is told by the dictionary of
// the frame or closure, if that is live. Where it is, and whose type it tells, is told
// by what precedes an entry, with 0 for a form:
//
//	tag        a byte: FrameVarShared and the place of the dictionary
//	position   varint, as of variables
//	live       as of variables
//
// and
//
//	tag        a byte: FrameVarNamed
//	word       varint: the dictionary's word that refers to the type of the next entry
//
// An entry is, all varints unsigned and of little endian groups of 7 bits:
//
//	tag        a byte: form, place, and flags
//	position   varint, in words: in the closure; of arguments, from argp up;
//	           of locals, from varp down
//	count      if the place is FrameVarArray: varint, the number of elements, of
//	           which form and type are told
//	type       if FrameVarTyped has the form's bit: 4 bytes of the target's byte
//	           order, the offset from the module's types, 0 if the binary lacks it
//	name       if FrameVarNamed is set: varint length, text. Of a variable of an
//	           inlined function a byte less than a space precedes the text: the depth
//	           of inlining, less 1, times 8, and FrameVarHash of the function's name
//	live       if FrameVarShared is set: varint number, then as many varints, each
//	           the difference to the one before: the stack maps that have the variable
//	itab       if the form is FrameVarIfaceData or FrameVarEfaceData: varint, the
//	           position of the local that has the interface's type word, or 0
const (
	FrameVarForm   = 1<<4 - 1
	FrameVarPlace  = 3 << 4
	FrameVarNamed  = 1 << 6 // else it is a temporary of the compiler's
	FrameVarShared = 1 << 7 // other variables have the same slot

	FrameVarCaptured = 0 << 4
	FrameVarArg      = 1 << 4
	FrameVarLocal    = 2 << 4
	FrameVarArray    = 3 << 4 // a local that is an array
)

// Forms of frame variables. The type of an entry is that of the variable, or else
// as told here: types that nothing else in a program needs are not in its binary.
const (
	_                  = iota // the end
	FrameVarValue             // a struct or array
	FrameVarPointer           // type is what it points to
	FrameVarSlice             // type is that of the elements
	FrameVarString            // without type
	FrameVarMap               //
	FrameVarChan              //
	FrameVarFunc              // without type
	FrameVarEface             // an empty interface, without type
	FrameVarIface             //
	FrameVarUnsafe            // an unsafe.Pointer, without type
	FrameVarClosure           // a closure itself, without type
	FrameVarSliceData         // the pointer of a slice. Type is that of the elements
	FrameVarStringData        // the pointer of a string, without type
	FrameVarIfaceData         // the data word of an interface
	FrameVarEfaceData         // the data word of an empty interface, without type

	// FrameVarTyped has the bits of forms that have a type.
	FrameVarTyped = 1<<FrameVarValue | 1<<FrameVarPointer | 1<<FrameVarSlice | 1<<FrameVarMap |
		1<<FrameVarChan | 1<<FrameVarIface | 1<<FrameVarSliceData | 1<<FrameVarIfaceData
)

// FrameVarReceiver is the name of what a method value has captured.
const FrameVarReceiver = "."

// FrameVarMaxDepth is the greatest depth of inlining that is told. Variables of functions
// that are inlined deeper are told as those of the function whose frame it is.
const FrameVarMaxDepth = 4

// FrameVarHash returns a hash of three bits of the name of an inlined function. Which
// function that is is told by the calls that are inlined at a PC; the hash tells, mostly,
// if a variable is live longer than the call that it belongs to.
func FrameVarHash(function string) uint8 {
	h := uint8(0)
	for i := range len(function) {
		h = h*31 + function[i]
	}
	return h >> 5
}
