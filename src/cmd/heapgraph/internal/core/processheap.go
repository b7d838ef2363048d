// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file has the process of the core file as the rules of a recording see it
// (internal/runtime/refs).

package core

import (
	"internal/abi"
	"internal/runtime/refs"
	"internal/vartable"
)

// A heapOf implements refs.Heap. Nothing changes while it is read, and what
// cannot be read is 0.
type heapOf struct{ *process }

func (h heapOf) Word(p, near uintptr) uintptr { return uintptr(h.word(uint64(p))) }
func (h heapOf) Byte(p uintptr) uint8         { return h.uint8(uint64(p)) }
func (h heapOf) IsReadable(p, n uintptr) bool { return true }

func (h heapOf) TypeIn(word uintptr) *abi.Type     { return h.typeAt(uint64(word)).native() }
func (h heapOf) ItabTypeIn(word uintptr) *abi.Type { return h.itabType(uint64(word)).native() }

func (h heapOf) IsType(t *abi.Type) bool       { return t != nil }
func (h heapOf) IsModuleType(t *abi.Type) bool { return h.ofNative(t).m != nil }
func (h heapOf) Name(t *abi.Type) string       { return h.ofNative(t).String() }
func (h heapOf) PkgPath(t *abi.Type) string    { return h.ofNative(t).PkgPath() }

func (h heapOf) LargeType(base uintptr) *abi.Type {
	if s := h.spanOf(uint64(base)); s != nil {
		return h.typeAt(s.largeType).native()
	}
	return nil
}

func (h heapOf) PointerBits(base uintptr) uint64 {
	if o, ok := h.find(uint64(base)); ok {
		return o.smallBits()
	}
	return 0
}

func (h heapOf) Padded(n uintptr) uintptr { return n } // a program with the address sanitizer has other paths

func (h heapOf) IsEntry(pc uintptr) bool {
	f := h.functionAt(uint64(pc))
	return f != nil && f.entry == uint64(pc)
}

func (h heapOf) Captured(_, pc, pos uintptr) (v refs.Variable, ok bool) {
	return copyOf(h.findVariable(h.functionAt(uint64(pc)), vartable.PlaceCaptured, pos, -1))
}

func (h heapOf) Local(_, _ uintptr, place uint8, pos uintptr) (v refs.Variable, ok bool) {
	return copyOf(h.findVariable(h.frame.f, place, pos, h.frame.stackMapIndex()))
}

func (h heapOf) CallAt(pc uintptr, i int) (own uintptr, function string) {
	f := h.functionAt(uint64(pc) - 1)
	if f == nil {
		return 0, ""
	}
	calls := h.calls(f, uint64(pc)-1)
	if i >= len(calls) {
		return 0, ""
	}
	return uintptr(calls[i].pc) + 1, calls[i].function
}

// copyOf returns a copy of v, which is nil if there is none.
func copyOf(v *variable, ok bool) (refs.Variable, bool) {
	if !ok {
		return refs.Variable{}, false
	}
	return v.Variable, true
}

// target returns o as the rules see it.
func (o *object) target() refs.Target {
	t := refs.Target{Base: uintptr(o.base), Data: uintptr(o.data), Size: uintptr(o.s.slotSize), Class: o.s.class << 1}
	if o.s.noscan {
		t.Class |= 1
	}
	return t
}

// header returns the type in the allocation header of o or, if o is large, in
// its span: for an array, the type of its elements. It returns nil if there is
// none.
func (p *process) header(o *object) *Type {
	t := o.target()
	if h := p.paths.Header(&t); h != nil {
		return p.ofNative(h)
	}
	return nil
}
