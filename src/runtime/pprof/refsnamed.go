// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Names that have been found already: equal references below equal parents, as those
// of goroutines with different labels are, are described once.
//
// A key is what a refsReference says, in few words without pointers to follow, for
// there may be as many as nodes. Strings are taken for equal if they are the same
// memory, and types if they are the same descriptor. That is enough: equal names
// come from one entry of the program's tables, or were described once.

package pprof

import (
	"internal/profilerecord"
	"reflect"
	"unsafe"
)

// refsNames holds names by what they depend on.
type refsNames map[refsNameKey]*refsName

type refsNameKey struct {
	offset, pc, count      uintptr
	static, typ, dyn, elem unsafe.Pointer
	parentPC               uintptr
	parentType             unsafe.Pointer
	name, owner, slice     refsSameText
	kind, parentKind       profilerecord.RefsKind
	role, parentRole       profilerecord.RefsRole
	form, depth, hash      uint8
	untyped                bool
}

// A refsSameText is a string that is compared by its address.
type refsSameText struct {
	data unsafe.Pointer
	size uintptr
}

func refsSame(s string) refsSameText {
	return refsSameText{unsafe.Pointer(unsafe.StringData(s)), uintptr(len(s))}
}

// key returns the key of r.
func (r *refsReference) key() refsNameKey {
	return refsNameKey{
		offset: r.node.Offset, pc: r.node.PC, count: r.node.Count,
		static: r.node.Static, typ: r.node.Type, dyn: r.node.Dyn, elem: refsDescriptor(r.target.elem),
		parentPC: r.parent.PC, parentType: r.parent.Type,
		name: refsSame(r.node.Name), owner: refsSame(r.owner), slice: refsSame(r.target.slice),
		kind: r.node.Kind, parentKind: r.parent.Kind,
		role: r.node.Role, parentRole: r.parent.Role,
		form: r.node.Form, depth: r.node.InlineDepth, hash: r.node.InlineHash,
		untyped: r.node.Untyped,
	}
}

// refsDescriptor returns the address of the descriptor of t, or nil.
func refsDescriptor(t reflect.Type) unsafe.Pointer {
	return (*struct{ itab, data unsafe.Pointer })(unsafe.Pointer(&t)).data
}

// get returns the name of r, which n describes if it is not known. Variables of the
// program are not kept, for each is one node.
func (names refsNames) get(r *refsReference, n *refsNamer) refsName {
	switch r.node.Kind {
	case profilerecord.RefsGlobal, profilerecord.RefsRuntimeGlobal, profilerecord.RefsModuleData:
		return n.describe(*r)
	}
	key := r.key()
	name, ok := names[key]
	if !ok {
		described := n.describe(*r)
		name = &described
		names[key] = name
	}
	return *name
}
