// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Exports for mrefstype_test.go.

package runtime

import "internal/abi"

// RefsSlot is a reference in a value, as refsSlotAt finds it.
type RefsSlot struct {
	Kind string
	Off  uintptr
	Type *abi.Type
}

var refsSlotNames = [...]string{
	refsSlotNone:      "",
	refsSlotPointer:   "pointer",
	refsSlotPool:      "pool",
	refsSlotSlice:     "slice",
	refsSlotString:    "string",
	refsSlotMap:       "map",
	refsSlotChan:      "chan",
	refsSlotFunc:      "func",
	refsSlotIface:     "interface",
	refsSlotIfaceType: "interface's type",
	refsSlotUnsafe:    "unsafe.Pointer",
}

// RefsSlotAt returns the reference at an offset of a value of type t.
func RefsSlotAt(t *abi.Type, off uintptr) RefsSlot {
	s := refsSlotAt(t, off)
	return RefsSlot{refsSlotNames[s.kind], s.off, s.typ}
}

// RefsTypeString returns the name of a type.
func RefsTypeString(t *abi.Type) string { return toRType(t).string() }
