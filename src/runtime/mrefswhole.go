// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Types whose pointers lead to a larger object, of which they are the first field.
// The standard library has few; each tells in its own way what the object is.

package runtime

import (
	"internal/abi"
	"unsafe"
)

// refsWhole returns the type of the objects that a pointer to t leads to, if that is
// known to be another than t, or nil. The object is at val.
//
//go:nowritebarrierrec
func refsWhole(t *_type, val uintptr) *_type {
	if !refsModuleType(uintptr(unsafe.Pointer(t))) {
		return nil
	}
	switch toRType(t).string() {
	case "time.Timer", "time.Ticker":
		return refsTimeTimer()
	}
	return refsVariant(t, val)
}

// refsVariant returns the type that t tells by first fields of type [0]*T, one for
// each value of the byte behind them, as nodes of internal/sync.HashTrieMap do.
//
//go:nowritebarrierrec
func refsVariant(t *_type, val uintptr) *_type {
	if t.Kind() != abi.Struct {
		return nil
	}
	st := (*structtype)(unsafe.Pointer(t))
	i := int(*(*uint8)(unsafe.Pointer(val)))
	if len(st.Fields) != 3 || i > 1 || st.Fields[2].Typ.Size_ != 1 {
		return nil
	}
	return refsPhantomType(st.Fields[i].Typ)
}
