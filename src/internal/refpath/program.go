// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file finds the types and functions of the program whose references a
// recording has. That program is this one, unless the recording was made from a
// core file.

package refpath

import (
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
}

// thisProgram is the program that is running.
type thisProgram struct{}

func (thisProgram) TypeAt(t unsafe.Pointer) reflect.Type { return TypeAt(t) }

func (thisProgram) FunctionsAt(pc uintptr) (names []string) {
	for _, f := range framesAt(pc) {
		names = append(names, runtime_FrameSymbolName(&f))
	}
	return names
}
