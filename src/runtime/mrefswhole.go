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

// whole returns the type of the objects like o that a pointer to t leads to, if that is
// known to be another than t, or nil.
//
//go:nowritebarrierrec
func (o *refsObject) whole(t *_type, val uintptr) *_type {
	if t.Kind() != abi.Struct || !refsModuleType(uintptr(unsafe.Pointer(t))) {
		return nil
	}
	st := (*structtype)(unsafe.Pointer(t))
	if len(st.Fields) == 2 && toRType(t).pkgpath() == "time" {
		switch toRType(t).string() {
		case "time.Timer", "time.Ticker":
			return refsTimeTimer()
		}
	}
	return o.variant(st, val)
}

// variant returns the type that t tells by first fields of type [0]*T, one for each
// value of the byte behind them, as nodes of internal/sync.HashTrieMap do, or nil.
//
//go:nowritebarrierrec
func (o *refsObject) variant(t *structtype, val uintptr) *_type {
	if len(t.Fields) != 3 || t.Fields[2].Typ.Size_ != 1 {
		return nil
	}
	i := *(*uint8)(unsafe.Pointer(val))
	if i > 1 {
		return nil
	}
	typ := refsPhantomType(t.Fields[i].Typ)
	if typ != nil {
		o.check = refsCheckNever // depends on the byte
	}
	return typ
}
