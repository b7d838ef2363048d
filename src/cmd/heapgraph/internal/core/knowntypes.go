// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file finds the types that the recorder knows, such as runtime.g, among
// all types of the program.

package core

import "internal/abi"

// findTypes finds the types that the recorder knows. At the beginning of a
// module's types are the descriptors with typelinks, one after another. Most of
// these types have no name, such as *T. findTypes reaches other types from
// them.
func (p *process) findTypes() {
	var todo []*Type
	seen := make(map[*Type]bool)
	add := func(t *Type) {
		if t != nil && !seen[t] {
			seen[t] = true
			todo = append(todo, t)
		}
	}
	for _, m := range p.modules {
		for at := m.types + wordSize; at < m.descsEnd; {
			t := p.typeAt(at)
			if t == nil {
				break
			}
			add(t)
			next := (at + t.wholeSize() + wordSize - 1) &^ (wordSize - 1)
			if next <= at { // the descriptor is damaged
				break
			}
			at = next
		}
	}
	for len(todo) > 0 {
		t := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		p.known.note(t)
		add(t.elemType())
		add(t.keyType())
		for i := range t.structFields() {
			add(t.fields[i].typ)
		}
	}
}

// wholeSize returns the size of the descriptor with its methods, fields and
// parameters.
func (t *Type) wholeSize() uint64 {
	n := t.descriptorSize()
	methods := uint64(0)
	if t.flags&abi.TFlagUncommon != 0 {
		methods = uint64(t.p.uint16(t.addr + n + uncommonMethods))
		n += uncommonSize
	}
	return n + t.tailSize() + methods*methodSize
}

// tailSize returns the size of the fields, methods or parameters after the
// descriptor.
func (t *Type) tailSize() uint64 {
	switch t.kind {
	case abi.Struct:
		return t.p.word(t.addr+typeFields+wordSize) * fieldSize
	case abi.Interface:
		return t.p.word(t.addr+typeMethods+wordSize) * 8
	case abi.Func:
		return uint64(t.NumIn()+t.NumOut()) * wordSize
	}
	return 0
}

// knownTypes has the types that the recorder knows.
type knownTypes struct {
	g, m, mPadded, proc, sudog, defers, iter, timer, timeTimer, uintptr, bytes, str *Type
}

// note stores t if it is one of the known types.
func (k *knownTypes) note(t *Type) {
	switch {
	case t.kind == abi.Uint8 && t.String() == "uint8":
		k.bytes = t
	case t.kind == abi.String && t.String() == "string":
		k.str = t
	}
	if t.kind != abi.Struct || t.flags&abi.TFlagNamed == 0 {
		return
	}
	switch t.PkgPath() + "." + t.Name() {
	case "runtime.g":
		k.g = t
	case "runtime.m":
		k.m = t
	case "runtime.mPadded":
		k.mPadded = t
	case "runtime.p":
		k.proc = t
	case "runtime.sudog":
		k.sudog = t
	case "runtime._defer":
		k.defers = t
	case "runtime.timer":
		k.timer = t
	case "runtime.timeTimer":
		k.timeTimer = t
	case "internal/runtime/maps.Iter":
		k.iter = t
	case "internal/runtime/atomic.Uintptr":
		k.uintptr = t
	}
}
