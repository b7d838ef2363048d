// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package abi

// Frame variables name the owners of the pointers in a function's frame and in
// its closures. cmd/compile/internal/liveness/framevars.go writes them as the
// function's FUNCDATA_FrameVars, and runtime/mrefsvars.go reads them. This file
// defines the format.
//
// The data are entries and a zero byte. They have all variables for which a
// stack map of the function has a bit, and the function's stack objects. The
// entries of variables that the function's closures capture come first. The
// entries of arguments and then those of locals follow, each by descending
// address, so that a word belongs to the first variable that does not start
// after it.
//
// In generic code, the dictionary of the frame or closure has the type of a
// variable whose type is a type argument, if the dictionary is live. Entries
// with form 0, which precede the variable's entry, have the place of the
// dictionary and the index of the type:
//
//	tag        a byte: FrameVarShared and the place of the dictionary
//	position   varint, as of variables
//	live       as of variables
//
// and
//
//	tag        a byte: FrameVarNamed
//	word       varint: the index of the dictionary's word that refers to the
//	           type of the next entry
//
// All varints are unsigned and consist of little-endian groups of 7 bits. An
// entry is:
//
//	tag        a byte: form, place, and flags
//	position   varint, in words: in the closure; of arguments, from argp up;
//	           of locals, from varp down
//	count      if the place is FrameVarArray: varint, the number of
//	           elements. Form and type are then those of an element
//	type       if FrameVarTyped has the form's bit: 4 bytes in the target's
//	           byte order, the offset from the module's types, or 0 if the
//	           binary lacks the type
//	name       if FrameVarNamed is set: varint length, text. For a variable
//	           of an inlined function, a byte less than a space precedes the
//	           text: the depth of inlining, less 1, times 8, plus
//	           FrameVarHash of the function's name
//	live       if FrameVarShared is set: varint number, then that many
//	           varints, each the difference to the one before: the stack
//	           maps that have the variable
//	itab       if the form is FrameVarIfaceData or FrameVarEfaceData:
//	           varint, the position of the local that has the interface's
//	           type word, or 0
const (
	FrameVarForm   = 1<<4 - 1
	FrameVarPlace  = 3 << 4
	FrameVarNamed  = 1 << 6 // if not set, it is a temporary of the compiler
	FrameVarShared = 1 << 7 // other variables have the same slot

	FrameVarCaptured = 0 << 4
	FrameVarArg      = 1 << 4
	FrameVarLocal    = 2 << 4
	FrameVarArray    = 3 << 4 // a local that is an array
)

// These are the forms of frame variables. The type of an entry is the type of
// the variable, or the type that the comment here names: types that nothing
// else in a program needs are not in its binary.
const (
	_                  = iota // the end
	FrameVarValue             // a struct or array
	FrameVarPointer           // type is the type that it points to
	FrameVarSlice             // type is the type of the elements
	FrameVarString            // without type
	FrameVarMap               //
	FrameVarChan              //
	FrameVarFunc              // without type
	FrameVarEface             // an empty interface, without type
	FrameVarIface             //
	FrameVarUnsafe            // an unsafe.Pointer, without type
	FrameVarClosure           // a closure itself, without type
	FrameVarSliceData         // the pointer of a slice; type is the type of the elements
	FrameVarStringData        // the pointer of a string, without type
	FrameVarIfaceData         // the data word of an interface
	FrameVarEfaceData         // the data word of an empty interface, without type

	// FrameVarTyped has the bits of forms that have a type.
	FrameVarTyped = 1<<FrameVarValue | 1<<FrameVarPointer | 1<<FrameVarSlice | 1<<FrameVarMap |
		1<<FrameVarChan | 1<<FrameVarIface | 1<<FrameVarSliceData | 1<<FrameVarIfaceData
)

// FrameVarReceiver is the name of the variable that a method value captures.
const FrameVarReceiver = "."

// FrameVarMaxDepth is the greatest depth of inlining that entries record. The
// entry of a variable of a function that is inlined deeper names it as a
// variable of the function whose frame it is in.
const FrameVarMaxDepth = 4

// FrameVarHash returns a hash of three bits of the name of an inlined function.
// The calls that are inlined at a PC give the function itself. The hash shows,
// in most cases, whether a variable is live longer than the call that it
// belongs to.
func FrameVarHash(function string) uint8 {
	h := uint8(0)
	for i := range len(function) {
		h = h*31 + function[i]
	}
	return h >> 5
}
