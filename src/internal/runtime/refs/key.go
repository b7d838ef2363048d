// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package refs

import (
	"internal/profilerecord"
	"unsafe"
)

// A Key is the key of a node. While marking, no two nodes have equal keys, except
// a node that lookUp has made but not used, because another P had added one with
// the same key.
//
// Addresses of types stay valid, because types live as long as the program.
type Key struct {
	Parent  uint32 // number of the parent node
	Kind    profilerecord.RefsKind
	Role    profilerecord.RefsRole
	Untyped bool
	Variant Variant
	Place   uintptr // which of the parent's elements of Kind it is (see below)
	Type    uintptr // *abi.Type of the objects or of the variable, as Role says, or 0
	Dynamic uintptr // *abi.Type of an interface's value
	Func    uintptr // for role RefsClosure: entry PC of the closures
	Arg     uintptr // *abi.Type that is the type argument for the variable's type
}

// A Variant has flags that distinguish nodes that are alike otherwise.
type Variant uint8

const (
	VariantLeaked      Variant = 1 << iota // of RefsGoroutine: the goroutines are leaked
	VariantInferred                        // the type is inferred (infer.go)
	VariantArray                           // of RefsObject: the objects are arrays of values of Type, although the reference is to one of them
	VariantHeaded                          // of RefsObject, below a node whose type is inferred: the type is that of the objects' headers
	VariantHeadedArray                     // of VariantHeaded: the headers alone say that the objects are arrays
)

// Place is, by the kind:
//
//	RefsFrame, RefsCleanup, RefsCleanupQueue, RefsTimer  a PC
//	RefsLocal                                            the address of the variable's entry
//	RefsGlobal, RefsRuntimeGlobal                        the index of the variable
//	RefsModuleData                                       the address of the block
//	RefsGoroutine                                        a hash of the labels, or 0
//	all others                                           an offset in bytes

// Roles in addition to those of profilerecord.RefsRole, which says how a node's
// type describes its objects. They distinguish the objects that a map consists
// of, variables that are themselves a reference, and goroutines that serve a
// request for the recording.
const (
	RoleDirectory profilerecord.RefsRole = 100 + iota // arrays of pointers to tables
	RoleTable                                         // objects of type internal/runtime/maps.table
	RoleGroups                                        // arrays of groups
	RoleDirect                                        // global variables that are themselves one reference
	RoleRequests                                      // goroutines of Requests
)

// hash returns a hash of k.
func (k *Key) hash() uint64 {
	h := uint64(k.Parent)*0x9e3779b97f4a7c15 ^ uint64(k.Place)*0xbf58476d1ce4e5b9
	h ^= uint64(k.Type>>3) * 0x94d049bb133111eb
	h ^= uint64(k.Dynamic>>3^k.Func^k.Arg)*0xd6e8feb86659fd93 ^ uint64(k.Kind)<<8 ^ uint64(k.Role) ^ uint64(k.Variant)<<16
	h ^= h >> 32
	h *= 0x9e3779b97f4a7c15
	return h ^ h>>32
}

// is reports whether k equals o, as == does, but faster.
func (k *Key) is(o *Key) bool {
	return k.Place == o.Place && k.start() == o.start() && k.Type == o.Type &&
		(k.Dynamic^o.Dynamic)|(k.Func^o.Func)|(k.Arg^o.Arg) == 0
}

// start returns the fields before Place as one number.
func (k *Key) start() uint64 {
	const _ = uint(unsafe.Offsetof(Key{}.Place)-8) + uint(8-unsafe.Offsetof(Key{}.Place)) // they have 8 bytes
	return *(*uint64)(unsafe.Pointer(k))
}

// isReference reports whether elements of a kind are references in an object,
// or references of a goroutine that are not in a known variable. Recursion
// folds at these.
func isReference(kind profilerecord.RefsKind) bool { return kind >= profilerecord.RefsSlot }

// isSecondClass reports whether references in objects of the key, and in
// objects at nodes below, are of the second class: in the heap graph, they
// count as roots of the second class, and so only for objects that no other
// root reaches. pool is the type of the objects to which sync.Pools refer.
func (k *Key) isSecondClass(pool uintptr) bool {
	switch k.Kind {
	case profilerecord.RefsRuntimeGlobal, profilerecord.RefsBarrier, profilerecord.RefsAllocated, profilerecord.RefsNoMemory,
		profilerecord.RefsRegisters:
		return true
	}
	return k.Type != 0 && k.Type == pool
}

// holdsUnknown reports whether a node with the key also counts the objects of
// unknown type that are reached by references in its objects, so that no node
// directly below it is made for them.
func (k *Key) holdsUnknown() bool {
	if k.Type != 0 || k.Role != profilerecord.RefsObject {
		return false
	}
	switch k.Kind {
	case profilerecord.RefsFinalizerQueue, profilerecord.RefsCleanupQueue, profilerecord.RefsWeak, profilerecord.RefsBarrier,
		profilerecord.RefsLocal:
		return true
	}
	return isReference(k.Kind)
}
