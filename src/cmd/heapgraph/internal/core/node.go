// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file has the nodes: a tree of paths from roots to objects, as the
// recorder makes it (runtime/mrefsnode.go).

package core

import (
	"internal/profilerecord"
	"internal/runtime/refs"
	"strings"
)

// maxNodes is the largest number of nodes, and maxDepth is the largest depth of
// a node. If a node would exceed either, it is not made. Its objects are
// counted at the node above or, without one, at nodeNoMemory, and their words
// (see marker) have the number of that node with the flag lostNode.
const (
	maxNodes = 1 << 19
	maxDepth = 200

	lostNode = refs.Lost
)

// Nodes that each graph has. The recorder has the same.
const (
	nodeBarrier uint32 = 1 + iota
	nodeAllocated
	nodeNoMemory
)

// Roles beyond those of profilerecord, as the recorder has them.
const (
	roleDirectory profilerecord.RefsRole = 100 + iota
	roleTable
	roleGroups
	roleDirect
)

// A key is the key of a node. No two nodes have equal keys.
type key struct {
	parent  uint32
	kind    profilerecord.RefsKind
	role    profilerecord.RefsRole
	untyped bool
	off     uint64 // offset, PC, number of a global variable, address of an entry for a variable or of a block of data, or 1 for leaked goroutines
	typ     *Type  // type of the objects
	dyn     *Type  // type of an interface's value
	fn      uint64 // entry PC of closures
	arg     *Type  // type argument of a variable
	text    string // name of a block of data of a module without a table, or labels of goroutines
}

// A node is a node of the tree.
type node struct {
	key
	depth  uint8
	second bool
	stride uint64
	labels []labelPair

	objects, bytes int64
}

// A nodeTable is the tree of nodes.
type nodeTable struct {
	all                    []node
	numbers                map[key]uint32
	lostObjects, lostBytes int64
	labelSets              int   // number of sets of labels that have nodes
	pool                   *Type // type of the objects to which sync.Pools refer, or nil before one is found
}

func newNodeTable() *nodeTable {
	ns := &nodeTable{all: make([]node, 1), numbers: make(map[key]uint32)}
	ns.find(&key{kind: profilerecord.RefsBarrier})
	ns.find(&key{kind: profilerecord.RefsAllocated})
	ns.find(&key{kind: profilerecord.RefsNoMemory})
	return ns
}

// at returns node n. It ignores the flags in n.
func (ns *nodeTable) at(n uint32) *node { return &ns.all[n%maxNodes] }

// find returns the number of the node with the key, and adds the node if there
// is none. If the key folds, find returns the node above to which it folds.
func (ns *nodeTable) find(k *key) uint32 {
	if k.parent&lostNode != 0 {
		return k.parent
	}
	if n := ns.fold(k); n != 0 {
		return n
	}
	if n, ok := ns.numbers[*k]; ok {
		return n
	}
	parent := ns.at(k.parent)
	if parent.depth >= maxDepth || len(ns.all) == maxNodes {
		if k.parent == 0 {
			return nodeNoMemory | lostNode
		}
		return k.parent | lostNode
	}
	n := uint32(len(ns.all))
	ns.all = append(ns.all, node{
		key:    *k,
		depth:  parent.depth + 1,
		second: parent.second || ns.isSecondClass(k),
		stride: stride(k.role, k.typ),
	})
	ns.numbers[*k] = n
	return n
}

// maxLabels is the largest number of sets of labels that have paths of their
// own. A set counts twice if both a leaked goroutine and one that is not leaked
// have it. The recorder has the same limit.
const maxLabels = 256

// goroutine returns the node for goroutines with the labels. If there is no
// room for more sets of labels, it returns the node for goroutines without
// labels.
func (ns *nodeTable) goroutine(leaked bool, labels []labelPair) uint32 {
	plain := key{kind: profilerecord.RefsGoroutine}
	if leaked {
		plain.off = 1
	}
	labelled := plain
	labelled.text = labelText(labels)
	n, ok := ns.numbers[labelled]
	switch {
	case ok:
		return n
	case labelled == plain || ns.labelSets == maxLabels:
		return ns.find(&plain)
	}
	ns.labelSets++
	n = ns.find(&labelled)
	if n&lostNode == 0 {
		ns.at(n).labels = labels
	}
	return n
}

// labelText returns a text that is the same for equal labels.
func labelText(labels []labelPair) string {
	var text strings.Builder
	for _, l := range labels {
		text.WriteString(l.key + "\x00" + l.value + "\x00")
	}
	return text.String()
}

// fold returns the node above to which the key folds, or 0 if it does not fold.
func (ns *nodeTable) fold(k *key) uint32 {
	if k.typ == nil && k.role == profilerecord.RefsObject {
		if ns.at(k.parent).holdsUnknown() {
			return k.parent
		}
		return 0
	}
	for n := k.parent; n != 0; n = ns.at(n).parent {
		a := ns.at(n)
		if a.kind == profilerecord.RefsGlobal || a.kind == profilerecord.RefsRuntimeGlobal {
			return 0
		}
		if a.role == k.role && a.typ == k.typ && isReference(k.kind) && isReference(a.kind) && a.fn == k.fn && a.arg == k.arg {
			return n
		}
	}
	return 0
}

// holdsUnknown reports whether an object of unknown type, to which an object of
// n refers, is counted at n itself.
func (n *node) holdsUnknown() bool {
	if n.typ != nil || n.role != profilerecord.RefsObject {
		return false
	}
	switch n.kind {
	case profilerecord.RefsFinalizerQueue, profilerecord.RefsCleanupQueue, profilerecord.RefsWeak, profilerecord.RefsBarrier,
		profilerecord.RefsLocal:
		return true
	}
	return isReference(n.kind)
}

// isReference reports whether elements of a kind are references in an object,
// or references of a goroutine that are not in a known variable. Except for
// objects of unknown type (see holdsUnknown), recursion folds only at these.
func isReference(kind profilerecord.RefsKind) bool { return kind >= profilerecord.RefsSlot }

// isSecondClass reports whether objects with the key are of the second class:
// their references count only for objects that no other references reach.
func (ns *nodeTable) isSecondClass(k *key) bool {
	switch k.kind {
	case profilerecord.RefsRuntimeGlobal, profilerecord.RefsBarrier, profilerecord.RefsAllocated, profilerecord.RefsNoMemory,
		profilerecord.RefsRegisters:
		return true
	}
	return k.typ != nil && k.typ == ns.pool
}

// stride returns the number of bytes modulo which offsets in objects of a role
// and a type are folded, or 0 if they are not folded.
func stride(role profilerecord.RefsRole, t *Type) uint64 {
	switch role {
	case profilerecord.RefsBuffer:
		t = t.elemType()
		fallthrough
	case profilerecord.RefsObject, profilerecord.RefsVariable:
		if t = element(t); t == nil || t.size == 0 {
			return 1
		}
		return t.size
	case roleGroups:
		return t.mapLayout().groupSize
	case roleDirectory:
		return wordSize
	}
	return 0
}

// count adds an object to the counts of node n.
func (ns *nodeTable) count(n uint32, bytes uint64) {
	node := ns.at(n)
	node.objects++
	node.bytes += int64(bytes)
	if n&lostNode != 0 {
		ns.lostObjects++
		ns.lostBytes += int64(bytes)
	}
}
