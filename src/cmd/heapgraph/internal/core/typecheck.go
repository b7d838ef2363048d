// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file refuses type descriptors that would lead to endless loops, and
// those whose text is too long. A damaged file may have such descriptors. A
// value must not contain a value of its own type, and the text that package
// internal/refpath writes for a type must have an end. That text goes down to
// the types that have names.
//
// A check of a type walks its parts. The types that it reads for the first time
// are checked after it, before anything else uses them. Therefore only checks
// use a type that is not checked yet, and checks have a limit to their depth.

package core

import "internal/abi"

// maxText is the largest number of bytes of a text. A longer text is taken for
// damaged.
const maxText = 1 << 20

// typeChecks has the types that have been read and are not checked yet.
type typeChecks struct {
	todo []*Type
	runs bool
}

// checkType checks a type that has been read, and the types to which it leads.
// If a check calls checkType, t is checked later.
func (p *process) checkType(t *Type) {
	c := &p.typeChecks
	c.todo = append(c.todo, t)
	if c.runs {
		return
	}
	c.runs = true
	for len(c.todo) > 0 {
		t := c.todo[len(c.todo)-1]
		c.todo = c.todo[:len(c.todo)-1]
		if !t.valueIsFinite(0) || t.measure(0) > maxText {
			p.types[t.addr] = nil
			t.reject()
			continue
		}
		t.fillCopy()
	}
	c.runs = false
}

// measure returns an upper bound of the length of the text of t, in bytes. It
// returns more than maxText if the text is too long, or if the parts of t are
// deeper than maxTypeDepth, as those of a type without end are.
func (t *Type) measure(depth int) int {
	switch {
	case t.textLen != 0:
		return t.textLen
	case depth > maxTypeDepth:
		return maxText + 1
	}
	n := 0
	if t.m != nil {
		n = len(t.String())
	}
	if t.Name() == "" {
		n += t.measureParts(depth + 1)
	}
	if n <= maxText {
		t.textLen = max(n, 1)
	}
	return n
}

// measureParts returns an upper bound of the length of the text of an unnamed
// type.
func (t *Type) measureParts(depth int) int {
	const punctuation = 16 // largest number of bytes beside each part
	n := punctuation
	add := func(c *Type) bool {
		if c == nil {
			n = maxText + 1
			return false
		}
		n += c.measure(depth) + punctuation
		return n <= maxText
	}
	switch t.kind {
	case abi.Pointer, abi.Slice, abi.Array, abi.Chan:
		add(t.elemType())
	case abi.Map:
		_ = add(t.keyType()) && add(t.elemType())
	case abi.Struct:
		for _, f := range t.structFields() {
			n += len(f.name) + 4*len(f.tag) // a byte of the tag takes up to 4 bytes, because the tag is quoted
			if !add(f.typ) {
				break
			}
		}
	case abi.Func:
		for i := range t.NumIn() + t.NumOut() {
			if !add(t.p.typeAt(t.p.word(t.parameterAt(i)))) {
				break
			}
		}
	}
	return n
}

// reject turns t, which is damaged, into a type without properties. Other types
// may already have a pointer to t.
func (t *Type) reject() {
	*t = Type{
		p: t.p, addr: t.addr, kind: abi.Uint8, size: 1, copied: t.copied,
		str: "?", named: "?", hasName: true, hasFields: true, masked: true,
		finiteValue: true, textLen: 1,
	}
	if c := t.copied; c != nil {
		c.Kind_, c.Size_, c.PtrBytes, c.TFlag = t.kind, uintptr(t.size), 0, 0
	}
}
