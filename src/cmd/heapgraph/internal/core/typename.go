// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file has the names of types.

package core

import (
	"internal/abi"
	"reflect"
	"strconv"
	"strings"
)

// String returns the type as package reflect writes it.
func (t *Type) String() string {
	if t.str == "" {
		if t.m == nil {
			t.str = t.madeString()
		} else {
			t.str, _, _ = t.p.typeName(t.m.types + uint64(t.p.uint32(t.addr+typeStr)))
			if t.flags&abi.TFlagExtraStar != 0 {
				t.str = strings.TrimPrefix(t.str, "*")
			}
		}
	}
	return t.str
}

// madeString is String for types that package reflect has made. Only the
// runtime can find the names of these types.
func (t *Type) madeString() string {
	switch t.kind {
	case abi.Pointer:
		return "*" + t.Elem().String()
	case abi.Slice:
		return "[]" + t.Elem().String()
	case abi.Array:
		return "[" + strconv.Itoa(t.Len()) + "]" + t.Elem().String()
	case abi.Map:
		return "map[" + t.Key().String() + "]" + t.Elem().String()
	case abi.Chan:
		return t.ChanDir().String() + " " + t.Elem().String()
	case abi.Struct:
		var b strings.Builder
		for i, f := range t.structFields() {
			if i > 0 {
				b.WriteByte(';')
			}
			b.WriteByte(' ')
			if !f.embedded {
				b.WriteString(f.name + " ")
			}
			b.WriteString(f.typ.String())
			if f.tag != "" {
				b.WriteString(" " + strconv.Quote(f.tag))
			}
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		return "struct {" + b.String() + "}"
	case abi.Func:
		list := func(n int, at func(int) reflect.Type) (types []string) {
			for i := range n {
				types = append(types, at(i).String())
			}
			return types
		}
		s := "func(" + strings.Join(list(t.NumIn(), t.In), ", ") + ")"
		switch out := list(t.NumOut(), t.Out); len(out) {
		case 0:
			return s
		case 1:
			return s + " " + out[0]
		default:
			return s + " (" + strings.Join(out, ", ") + ")"
		}
	}
	return "?"
}

// Name returns the name of a defined type in its package, or "".
func (t *Type) Name() string {
	if !t.hasName {
		t.hasName = true
		if t.flags&abi.TFlagNamed != 0 && t.m != nil {
			t.named = lastName(t.String())
		}
	}
	return t.named
}

// lastName returns the text after the last dot that is not in brackets.
func lastName(s string) string {
	depth := 0
	for i := len(s) - 1; i >= 0; i-- {
		switch s[i] {
		case ']':
			depth++
		case '[':
			depth--
		case '.':
			if depth == 0 {
				return s[i+1:]
			}
		}
	}
	return s
}

// PkgPath returns the path of the package of a defined type, or "".
func (t *Type) PkgPath() string {
	if t.flags&(abi.TFlagNamed|abi.TFlagUncommon) != abi.TFlagNamed|abi.TFlagUncommon || t.m == nil {
		return ""
	}
	if t.pkgPath == "" {
		if off := t.p.uint32(t.addr + t.descriptorSize()); off != 0 {
			t.pkgPath, _, _ = t.p.typeName(t.m.types + uint64(off))
		}
	}
	return t.pkgPath
}
