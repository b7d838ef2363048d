// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Exports for mrefsnode_test.go and mrefsmap_test.go.

package runtime

import (
	"internal/abi"
	"internal/profilerecord"
	"unsafe"
)

const (
	RefsMaxNodes = refsMaxNodes
	RefsMaxDepth = refsMaxDepth
)

// RefsGroupOffset is refsGroupOffset.
func RefsGroupOffset(t *abi.Type, off uintptr) (isElem bool, in uintptr) {
	return refsGroupOffset((*abi.MapType)(unsafe.Pointer(t)), off)
}

// RefsTree is a tree of nodes that no recording uses.
type RefsTree struct{ nodes refsNodeTable }

// NewRefsTree returns a tree without paths.
func NewRefsTree() *RefsTree {
	t := new(RefsTree)
	if !t.nodes.alloc() {
		panic("no memory for nodes")
	}
	return t
}

// Free frees the memory of the tree.
func (t *RefsTree) Free() { t.nodes.free() }

// Global returns the node of a global variable.
func (t *RefsTree) Global(i uintptr) uint32 {
	return t.nodes.find(&refsKey{kind: profilerecord.RefsGlobal, role: profilerecord.RefsVariable, off: i})
}

// Field returns the node of objects of a type below a field.
func (t *RefsTree) Field(parent uint32, off uintptr, typ *abi.Type) uint32 {
	return t.nodes.find(&refsKey{parent: parent, kind: profilerecord.RefsField, off: off, typ: uintptr(unsafe.Pointer(typ))})
}

// Count counts objects at a node.
func (t *RefsTree) Count(n uint32, objects, bytes int64) { t.nodes.count(n, objects, bytes) }

// At returns the objects and bytes counted at a node.
func (t *RefsTree) At(n uint32) (objects, bytes int64) {
	return t.nodes.at(n).objects.Load(), t.nodes.at(n).bytes.Load()
}

// Lost returns the objects and bytes that are counted above their own node.
func (t *RefsTree) Lost() (objects, bytes int64) {
	return t.nodes.lostObjects.Load(), t.nodes.lostBytes.Load()
}

// RefsIsLost reports whether n stands for a node that could not be added, and
// returns the node below which it should be.
func RefsIsLost(n uint32) (parent uint32, lost bool) {
	return n &^ refsLost, n&refsLost != 0
}
