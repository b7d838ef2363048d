// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file keeps the names that have been found, so that equal references
// below equal parents are described only once. For example, goroutines that run
// the same function with different labels have such references.
//
// A key has the properties of a reference, in few words and without pointers to
// follow, because there may be as many keys as nodes. In a key, two strings are
// equal only if they are the same memory, and two types only if they are the
// same descriptor. This suffices, because equal names come from one entry of
// the program's tables, or from one call of describe.

package refpath

import (
	"internal/profilerecord"
	"unsafe"
)

// named has the names that have been found, by the properties on which they
// depend.
type named map[nameKey]*Name

type nameKey struct {
	offset, pc, count      uintptr
	static, typ, dyn, elem unsafe.Pointer
	parentPC               uintptr
	parentType             unsafe.Pointer
	name, owner, slice     sameText
	kind, parentKind       profilerecord.RefsKind
	role, parentRole       profilerecord.RefsRole
	form, depth            uint8
	hash                   uint16
	untyped, array         bool
	inferred               bool
}

// name returns the name of r. It describes r if the name is not known yet. It
// does not keep the names of global variables, because equal references are
// rare among them.
func (known named) name(r *reference) Name {
	switch r.node.Kind {
	case profilerecord.RefsGlobal, profilerecord.RefsRuntimeGlobal, profilerecord.RefsModuleData:
		return r.describe()
	}
	key := keyOf(r)
	name, ok := known[key]
	if !ok {
		described := r.describe()
		name = &described
		known[key] = name
	}
	return *name
}

// keyOf returns the key of r.
func keyOf(r *reference) nameKey {
	return nameKey{
		offset: r.node.Offset, pc: r.node.PC, count: r.node.Count,
		static: r.node.Static, typ: r.node.Type, dyn: r.node.Dyn, elem: descriptor(r.target.elem),
		parentPC: r.parent.PC, parentType: r.parent.Type,
		name: sameAs(r.node.Name), owner: sameAs(r.owner), slice: sameAs(r.target.slice),
		kind: r.node.Kind, parentKind: r.parent.Kind,
		role: r.node.Role, parentRole: r.parent.Role,
		form: r.node.Form, depth: r.node.InlineDepth, hash: r.node.InlineHash,
		untyped: r.node.Untyped, array: r.node.Array, inferred: r.node.Inferred,
	}
}

// A sameText is a string that is compared by its address.
type sameText struct {
	data unsafe.Pointer
	size uintptr
}

func sameAs(s string) sameText {
	return sameText{unsafe.Pointer(unsafe.StringData(s)), uintptr(len(s))}
}
