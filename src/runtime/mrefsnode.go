// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Nodes: a tree of paths from GC roots to objects.
//
// A node stands for an element of a path, such as a root, a function of a
// goroutine's stack, a variable, or a reference in the objects or the variable
// of the parent node. It also stands for the type of the objects that the
// reference reaches. A node has a number, and is found by its key: the parent's
// number, and what the node stands for. Most nodes are added while marking, and
// the key of a node never changes. A key has the addresses of types. They stay
// valid, because types live as long as the program. In place of the labels of
// goroutines, a key has a hash of the labels.
//
// The number of nodes is limited. The limit is lower in early stages, so that
// they leave nodes for the roots of later stages.
//
// Recursion folds: in general, an object whose type is already on the path is
// counted at the earlier node with this type (see fold). Therefore the tree of
// nodes does not grow with the length of the program's lists or the depth of
// its trees.

package runtime

import (
	"internal/abi"
	"internal/goarch"
	"internal/profilerecord"
	"internal/runtime/atomic"
	"internal/runtime/refs"
	"internal/runtime/sys"
	"unsafe"
)

const (
	refsMaxNodes = 1 << 19
	refsMaxDepth = 200

	// refsLost in the number of a node means that a node below this node is
	// missing: there was no room for it, its path would be too long, or the
	// objects that refer to its objects have no words (mrefspage.go). The
	// objects of the missing node are counted at the existing node, and
	// their type is not known.
	refsLost = refs.Lost
)

// Nodes that every recording has.
const (
	refsNodeBarrier   uint32 = 1 + iota // objects of unknown type that have been found only outside of scans (for example by the write barrier or by gcMarkTinyAllocs), and objects of unknown type that only such objects refer to
	refsNodeAllocated                   // objects that were allocated while marking and that no reference claimed
	refsNodeNoMemory                    // objects whose paths are not known, because there was no room for a root's node, or because the objects that refer to them have no words
)

// Roles in addition to those of profilerecord.RefsRole, which says how a node's
// type describes its objects. They distinguish the objects that a map consists
// of, and variables that are themselves a reference.
const (
	refsRoleDirectory profilerecord.RefsRole = 100 + iota // arrays of pointers to tables
	refsRoleMapTable                                      // objects of type internal/runtime/maps.table
	refsRoleGroups                                        // arrays of groups
	refsRoleDirect                                        // global variables that are themselves one reference
)

// refsKey is the key of a node. No two nodes have equal keys, except a node
// that lookUp has made but not used, because another P had added one with the
// same key.
type refsKey struct {
	parent  uint32 // number of the parent node
	kind    profilerecord.RefsKind
	role    profilerecord.RefsRole
	untyped bool
	off     uintptr // as kind says: an offset, a program counter, an address, the index of a global variable, or refsLeaked
	typ     uintptr // *_type of the objects or of the variable, as role says, or 0
	dyn     uintptr // *_type of an interface's value, *moduledata, or low bits of the hash of labels
	fn      uintptr // entry PC of closures, type argument of variables, or the rest of the hash of labels
}

// hash returns a hash of k.
//
//go:nowritebarrierrec
func (k *refsKey) hash() uint64 {
	h := uint64(k.parent)*0x9e3779b97f4a7c15 ^ uint64(k.off)*0xbf58476d1ce4e5b9
	h ^= uint64(k.typ>>3) * 0x94d049bb133111eb
	h ^= uint64(k.dyn>>3^k.fn)*0xd6e8feb86659fd93 ^ uint64(k.kind)<<8 ^ uint64(k.role)
	h ^= h >> 32
	h *= 0x9e3779b97f4a7c15
	return h ^ h>>32
}

// refsNode is a node.
type refsNode struct {
	_     sys.NotInHeap
	links refsLinks
	refsKey
	depth   uint8         // number of nodes on the path
	second  bool          // references in objects of the node are of the second class: see isSecondClass
	labels  atomic.Uint32 // for a RefsGoroutine node: 1 + index in refsLabels.sets, or 0
	stride  uintptr       // result of refsStride
	objects atomic.Int64  // number of objects at this node, without the nodes below
	bytes   atomic.Int64  // bytes of objects
}

// holdsUnknown reports whether node also counts the objects of unknown type
// that are reached by references in its objects, so that no node directly below
// it is made for them.
//
//go:nowritebarrierrec
func (node *refsNode) holdsUnknown() bool {
	if node.typ != 0 || node.role != profilerecord.RefsObject {
		return false
	}
	switch node.kind {
	case profilerecord.RefsFinalizerQueue, profilerecord.RefsCleanupQueue, profilerecord.RefsWeak, profilerecord.RefsBarrier,
		profilerecord.RefsLocal:
		return true
	}
	return refsIsReference(node.kind)
}

// refsNodes has the nodes of the recording. Node 0 is the root of the tree.
var refsNodes refsNodeTable

// A refsNodeTable is a tree of nodes. Any P adds nodes.
type refsNodeTable struct {
	refsArray
	heads *refsHeads
	most  uint32 // largest number of nodes, or 0 for refsMaxNodes
	limit uint32 // largest number of nodes in this stage

	lostObjects atomic.Int64 // number of objects for which count was called with refsLost in the node's number
	lostBytes   atomic.Int64
}

// refsStride returns the stride, in bytes, of objects or of a variable with the
// given role and type. Offsets in them that differ by a multiple of the stride
// fold: they count as one offset. The stride is 0 if offsets do not fold. It is
// 1 if the type that it depends on is not known or has size 0. All words of the
// objects then count as one reference.
//
//go:nowritebarrierrec
func refsStride(role profilerecord.RefsRole, typ uintptr) uintptr {
	t := (*_type)(unsafe.Pointer(typ))
	switch role {
	case profilerecord.RefsObject, profilerecord.RefsVariable:
		if t = refsElem(t); !refsTypeOK(t) || t.Size_ == 0 {
			return 1
		}
		return t.Size_
	case profilerecord.RefsBuffer:
		if t = refsElem((*chantype)(unsafe.Pointer(t)).Elem); !refsTypeOK(t) || t.Size_ == 0 {
			return 1
		}
		return t.Size_
	case refsRoleGroups:
		return (*abi.MapType)(unsafe.Pointer(t)).GroupSize
	case refsRoleDirectory:
		return goarch.PtrSize
	}
	return 0
}

// alloc makes the tree, with the nodes that every recording has. It reports
// whether there is memory for it.
func (ns *refsNodeTable) alloc() bool {
	ns.size = unsafe.Sizeof(refsNode{})
	ns.limitTo(refsNodeParts)
	ns.lostObjects.Store(0)
	ns.lostBytes.Store(0)
	if ns.heads = newRefsHeads(); ns.heads == nil {
		return false
	}
	if _, ok := ns.add(1); !ok {
		return false
	}
	ns.find(&refsKey{kind: profilerecord.RefsBarrier})
	ns.find(&refsKey{kind: profilerecord.RefsAllocated})
	ns.find(&refsKey{kind: profilerecord.RefsNoMemory})
	return true
}

// free frees the memory of the tree.
func (ns *refsNodeTable) free() {
	ns.refsArray.free()
	ns.heads.free()
	ns.heads = nil
}

// refsNodeParts is the number of equal parts into which limits of stages divide
// the nodes.
const refsNodeParts = refs.NodeParts

// limitTo sets the largest number of nodes in a stage to the given number of
// parts. All nodes together are refsNodeParts parts.
func (ns *refsNodeTable) limitTo(parts uint32) {
	most := ns.most
	if most == 0 {
		most = refsMaxNodes
	}
	ns.limit = most / refsNodeParts * parts
}

// at returns node n. It ignores the flags in n.
//
//go:nowritebarrierrec
func (ns *refsNodeTable) at(n uint32) *refsNode {
	return (*refsNode)(ns.refsArray.at(n % refsMaxNodes))
}

// find returns the number of the node with the key, and adds the node if there
// is none. If the key folds, find returns the earlier node of the path to which
// it folds. If there is no room, if the path would be too long, or if the
// parent's number has refsLost, find returns the parent (see refsLostBelow)
// with refsLost set.
//
//go:nowritebarrierrec
func (ns *refsNodeTable) find(key *refsKey) uint32 {
	if key.parent&refsLost != 0 {
		return key.parent
	}
	if n := ns.fold(key); n != 0 {
		return n
	}
	if ns.at(key.parent).depth >= refsMaxDepth {
		return refsLostBelow(key.parent)
	}
	if n := ns.lookUp(key, true); n != 0 {
		return n
	}
	return refsLostBelow(key.parent)
}

// lookUp returns the number of the node with the key. If there is no such node
// and add is set, it adds one. If there is none and add is not set, or if there
// is no room, it returns 0.
//
//go:nowritebarrierrec
func (ns *refsNodeTable) lookUp(key *refsKey, add bool) uint32 {
	mine := uint32(0)
	w := ns.heads.walk(key.hash())
	for {
		n := w.slot.Load()
		if n == 0 {
			if mine == 0 && add {
				mine = ns.make(key)
			}
			if mine == 0 || w.slot.CompareAndSwap(0, mine) {
				return mine
			}
			n = w.slot.Load()
		}
		node := ns.at(n)
		if node.refsKey == *key {
			return n
		}
		w = w.down(&node.links)
	}
}

// refsLostBelow returns the number that stands for a missing node below parent.
// If parent is 0, this is refsNodeNoMemory with refsLost set.
//
//go:nowritebarrierrec
func refsLostBelow(parent uint32) uint32 {
	if parent == 0 {
		parent = refsNodeNoMemory
	}
	return parent | refsLost
}

// fold returns the earlier node of the path to which the key folds, or 0 if it
// does not fold. This is the nearest node that has the role, type and function
// of the key and for whose kind refsIsReference reports true. The key folds to
// it only if refsIsReference reports true for the key's kind, too. If the type
// is not known, the key folds to its parent, provided that the parent counts
// such objects itself. A key never folds to the node of a global variable.
// Therefore, if a global variable is a pointer to a list, the first element is
// counted at the variable's node, and all others at one more node.
//
//go:nowritebarrierrec
func (ns *refsNodeTable) fold(key *refsKey) uint32 {
	if key.typ == 0 && key.role == profilerecord.RefsObject {
		if ns.at(key.parent).holdsUnknown() {
			return key.parent
		}
		return 0
	}
	for n := key.parent; n != 0; n = ns.at(n).parent {
		a := ns.at(n)
		if a.kind == profilerecord.RefsGlobal || a.kind == profilerecord.RefsRuntimeGlobal {
			return 0
		}
		if a.role == key.role && a.typ == key.typ && refsIsReference(key.kind) && refsIsReference(a.kind) &&
			a.fn == key.fn {
			return n
		}
	}
	return 0
}

// make adds a node and returns its number, or 0 if there is no room.
//
//go:nowritebarrierrec
func (ns *refsNodeTable) make(key *refsKey) uint32 {
	n, ok := ns.add(ns.limit)
	if !ok {
		return 0
	}
	ns.fill(n, key)
	return n
}

// fill makes n a node with the key.
//
//go:nowritebarrierrec
func (ns *refsNodeTable) fill(n uint32, key *refsKey) {
	node := ns.at(n)
	node.refsKey = *key
	node.depth = ns.at(key.parent).depth + 1
	node.second = ns.at(key.parent).second || key.isSecondClass()
	node.stride = refsStride(key.role, key.typ)
}

// isSecondClass reports whether references in objects of the key, and in
// objects at nodes below, are of the second class: in the heap graph, they
// count as roots of the second class, and so only for objects that no other
// root reaches.
//
//go:nowritebarrierrec
func (k *refsKey) isSecondClass() bool {
	switch k.kind {
	case profilerecord.RefsRuntimeGlobal, profilerecord.RefsBarrier, profilerecord.RefsAllocated, profilerecord.RefsNoMemory,
		profilerecord.RefsRegisters:
		return true
	}
	return k.typ != 0 && k.typ == refsPoolLocal.Load()
}

// count adds objects and bytes to the counts of node n.
//
//go:nowritebarrierrec
func (ns *refsNodeTable) count(n uint32, objects, bytes int64) {
	node := ns.at(n)
	node.objects.Add(objects)
	node.bytes.Add(bytes)
	if n&refsLost != 0 {
		ns.lostObjects.Add(objects)
		ns.lostBytes.Add(bytes)
	}
}

// strideOf returns the size in bytes by which offsets in objects of node n fold
// (see refsStride).
//
//go:nowritebarrierrec
func (ns *refsNodeTable) strideOf(n uint32) uintptr {
	if n&refsLost != 0 {
		return 1
	}
	return ns.at(n).stride
}

// refsIsReference reports whether elements of a kind are references in an
// object, or references of a goroutine that are not in a known variable. Except
// for objects of unknown type (see holdsUnknown), recursion folds only at
// these.
func refsIsReference(kind profilerecord.RefsKind) bool {
	return kind >= profilerecord.RefsSlot
}
