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
// their keys do not change before Verify, at the end.
//
// The number of nodes is limited. The limit is lower in early stages, so that
// they leave nodes for the roots of later stages.
//
// Recursion folds: in general, an object whose type is already on the path is
// counted at the earlier node with this type (see fold). Therefore the tree of
// nodes does not grow with the length of the program's lists or the depth of
// its trees.

package refs

import (
	"internal/profilerecord"
	"internal/runtime/atomic"
	"internal/stringslite"
	"unsafe"
)

const (
	MaxNodes = 1 << 19
	MaxDepth = 200

	// Lost in the number of a node means that a node below this node is
	// missing: there was no room for it, its path would be too long, or the
	// objects that refer to its objects have no words. The objects of the
	// missing node are counted at the existing node, and their type is not
	// known.
	Lost = 1 << 30
)

// Nodes that every recording has.
const (
	NodeBarrier   uint32 = 1 + iota // objects of unknown type that have been found only outside of scans (for example by the write barrier or by gcMarkTinyAllocs), and objects of unknown type that only such objects refer to
	NodeAllocated                   // objects that were allocated while marking and that no reference claimed
	NodeNoMemory                    // objects whose paths are not known, because there was no room for a root's node, or because the objects that refer to them have no words
)

// A Node is a node.
type Node struct {
	links Links
	Key
	depth   uint8         // number of nodes on the path
	Second  bool          // references in objects of the node are of the second class: see isSecondClass
	pooled  bool          // a sync.Pool refers to the objects of the node, or of one above it
	guessed bool          // the type follows from one that is inferred: see isGuessed
	Labels  atomic.Uint32 // for RefsGoroutine: number of the set of labels, or 0
	stride  uintptr       // result of strideOf

	Objects atomic.Int64 // number of objects at this node, without the nodes below
	Bytes   atomic.Int64 // bytes of objects
	Scan    atomic.Int64 // bytes of objects that the collection has scanned
	Unused  atomic.Int64 // bytes of objects to which no reference refers
}

// Paths is the tree of nodes of a recording, and the rules by which a reference
// adds to it. Any P adds nodes. Node 0 is the root of the tree.
type Paths struct {
	Heap   Heap
	Layout Layout
	Known  Known

	nodes    Array
	evidence evidence
	Most     uint32 // largest number of nodes, or 0 for MaxNodes
	limit    uint32 // largest number of nodes in this stage

	Pool      atomic.Uintptr // *abi.Type of the objects to which sync.Pools refer, or 0 until such a reference is first found
	labelSets atomic.Uint32  // number of sets of labels that have nodes; more than MaxLabels only if several Ps add sets at once

	LostObjects atomic.Int64 // number of objects for which Count was called with Lost in the node's number
	LostBytes   atomic.Int64
}

// Make makes the tree, with the nodes that every recording has. It reports
// whether there is memory for it. Heap, Layout and Known must be set before the
// first reference is resolved.
func (ps *Paths) Make(m Memory) bool {
	ps.LimitTo(NodeParts)
	ps.evidence.used.Store(false)
	ps.LostObjects.Store(0)
	ps.LostBytes.Store(0)
	ps.labelSets.Store(0)
	if !ps.nodes.Make(m, unsafe.Sizeof(Node{})) {
		return false
	}
	ps.Find(&Key{Kind: profilerecord.RefsBarrier})
	ps.Find(&Key{Kind: profilerecord.RefsAllocated})
	ps.Find(&Key{Kind: profilerecord.RefsNoMemory})
	return true
}

// Free frees the memory of the tree.
func (ps *Paths) Free() {
	for _, a := range [...]*Array{&ps.nodes, &ps.evidence.array} {
		if a.Memory != nil {
			a.Free()
		}
	}
}

// NodeParts is the number of equal parts into which limits of stages divide the
// nodes.
const NodeParts = 16

// LimitTo sets the largest number of nodes in a stage to the given number of
// parts. All nodes together are NodeParts parts.
func (ps *Paths) LimitTo(parts uint32) {
	most := ps.Most
	if most == 0 {
		most = MaxNodes
	}
	ps.limit = most / NodeParts * parts
}

// Len returns the number of nodes.
func (ps *Paths) Len() uint32 { return min(ps.nodes.Len(), MaxNodes) }

// At returns node n. It ignores the flags in n.
func (ps *Paths) At(n uint32) *Node { return (*Node)(unsafe.Pointer(ps.nodes.At(n % MaxNodes))) }

// Find returns the number of the node with the key, and adds the node if there
// is none. If the key folds, Find returns the earlier node of the path to which
// it folds. If there is no room, if the path would be too long, or if the
// parent's number has Lost, Find returns the parent (see lostBelow) with Lost
// set.
//
//go:nowritebarrierrec
func (ps *Paths) Find(key *Key) uint32 {
	if key.Parent&Lost != 0 {
		return key.Parent
	}
	if n := ps.fold(key); n != 0 {
		return n
	}
	if ps.At(key.Parent).depth >= MaxDepth {
		return lostBelow(key.Parent)
	}
	if n := ps.lookUp(key, true); n != 0 {
		return n
	}
	return lostBelow(key.Parent)
}

// lookUp returns the number of the node with the key. If there is no such node
// and add is set, it adds one. If there is none and add is not set, or if there
// is no room, it returns 0.
func (ps *Paths) lookUp(key *Key, add bool) uint32 {
	mine := uint32(0)
	w := ps.nodes.Walk(key.hash())
	for {
		n := w.Link().Load()
		if n == 0 {
			if mine == 0 && add {
				mine = ps.make(key)
			}
			if mine == 0 || w.Link().CompareAndSwap(0, mine) {
				return mine
			}
			n = w.Link().Load()
		}
		node := ps.At(n)
		if node.is(key) {
			return n
		}
		w = w.Down(&node.links)
	}
}

// lostBelow returns the number that stands for a missing node below parent. If
// parent is 0, this is NodeNoMemory with Lost set.
func lostBelow(parent uint32) uint32 {
	if parent == 0 {
		parent = NodeNoMemory
	}
	return parent | Lost
}

// fold returns the earlier node of the path to which the key folds, or 0 if it
// does not fold. This is the nearest node that has the role, type and function
// of the key and whose kind is a reference. The key folds to it only if the
// key's kind is a reference, too, and if both types or neither are guessed. If
// the type is not known, the key folds to its parent, provided that the parent
// counts such objects itself. A key never folds to the node of a global
// variable. Therefore, if a global variable is a pointer to a list, the first
// element is counted at the variable's node, and all others at one more node.
func (ps *Paths) fold(key *Key) uint32 {
	if key.Type == 0 && key.Role == profilerecord.RefsObject {
		if ps.At(key.Parent).holdsUnknown() {
			return key.Parent
		}
		return 0
	}
	guessed := ps.isGuessed(key)
	for n := key.Parent; n != 0; n = ps.At(n).Parent {
		a := ps.At(n)
		if a.Kind == profilerecord.RefsGlobal || a.Kind == profilerecord.RefsRuntimeGlobal {
			return 0
		}
		if a.Role == key.Role && a.Type == key.Type && isReference(key.Kind) && isReference(a.Kind) &&
			a.Func == key.Func && a.Arg == key.Arg && a.guessed == guessed {
			return n
		}
	}
	return 0
}

// make adds a node and returns its number, or 0 if there is no room.
func (ps *Paths) make(key *Key) uint32 {
	n, ok := ps.nodes.Add(ps.limit)
	if !ok {
		return 0
	}
	node, parent := ps.At(n), ps.At(key.Parent)
	node.Key = *key
	node.depth = parent.depth + 1
	node.Second = parent.Second || key.isSecondClass(ps.Pool.Load())
	node.pooled = parent.pooled || key.Type != 0 && key.Type == ps.Pool.Load()
	node.guessed = ps.isGuessed(key)
	if key.Variant&VariantInferred != 0 {
		ps.evidence.used.Store(true)
	}
	node.stride = ps.strideOf(key)
	return n
}

// Count adds objects and bytes to the counts of node n.
//
//go:nowritebarrierrec
func (ps *Paths) Count(n uint32, objects, bytes int64) {
	node := ps.At(n)
	node.Objects.Add(objects)
	node.Bytes.Add(bytes)
	if n&Lost != 0 {
		ps.LostObjects.Add(objects)
		ps.LostBytes.Add(bytes)
	}
}

// CountScan adds to the bytes that the collection has scanned at node n. Of an
// object, these are the bytes from its beginning to the end of its last word
// that may be a pointer, because the collector stops there. For example, a
// struct of a pointer and of an array of 4 KiB without pointers has one word to
// scan.
//
//go:nowritebarrierrec
func (ps *Paths) CountScan(n uint32, bytes int64) { ps.At(n).Scan.Add(bytes) }

// CountUnused adds to the bytes of the objects at node n to which no reference
// refers.
//
//go:nowritebarrierrec
func (ps *Paths) CountUnused(n uint32, bytes int64) { ps.At(n).Unused.Add(bytes) }

// Stride returns the size in bytes by which offsets in objects of node n fold
// (see strideOf).
//
//go:nowritebarrierrec
func (ps *Paths) Stride(n uint32) uintptr {
	if n&Lost != 0 {
		return 1
	}
	return ps.At(n).stride
}

// MaxLabels is the largest number of different sets of labels that a recording
// has. A set counts twice if both a leaked goroutine and another one have it.
// The number of sets is limited because each set has paths of its own, and the
// number of nodes is limited.
const MaxLabels = 256

// Goroutine returns the node for the goroutines with the given hash of labels,
// which is 0 if they have none. Leaked goroutines have one node for these
// labels, and other goroutines another. If the labels are new and there is no
// room for more sets of labels, they count as goroutines without labels. If the
// call has added a set, it returns the number of the set, from 1 to MaxLabels.
//
//go:nowritebarrierrec
func (ps *Paths) Goroutine(leaked bool, labels uintptr) (n, set uint32) {
	key := Key{Kind: profilerecord.RefsGoroutine, Place: labels}
	if leaked {
		key.Variant = VariantLeaked
	}
	if labels == 0 {
		return ps.Find(&key), 0
	}
	if n := ps.lookUp(&key, false); n != 0 {
		return n, 0
	}
	if ps.labelSets.Load() >= MaxLabels {
		key.Place = 0
		return ps.Find(&key), 0
	}
	if n = ps.Find(&key); n&Lost == 0 {
		if set = ps.labelSets.Add(1); set > MaxLabels || !ps.At(n).Labels.CompareAndSwap(0, set) {
			set = 0
		}
	}
	return n, set
}

// Requests returns the node for goroutines that serve requests for the
// recording, whatever their labels. In a difference of two recordings, what
// they hold is no growth of the program.
//
//go:nowritebarrierrec
func (ps *Paths) Requests() uint32 {
	return ps.Find(&Key{Kind: profilerecord.RefsGoroutine, Role: RoleRequests})
}

// ServesRequest reports whether a goroutine that takes a recording does so for
// a request if its stack has a frame of the function with a name. The
// goroutines that write a heap graph do so even without a server.
func ServesRequest(function string) bool {
	return stringslite.HasPrefix(function, "net/http/pprof.") ||
		stringslite.HasPrefix(function, "runtime/pprof.startHeapGraph.") ||
		stringslite.HasPrefix(function, "runtime/pprof.(*HeapGraph).Write.func")
}

// Global returns the node for the global variable with an index. t is its type,
// or nil. If the variable itself is one reference, this node only gives the
// type of the reference. The objects to which the variable refers are at
// another node with the same kind and place (see Resolve).
func (ps *Paths) Global(i int, runtime bool, t uintptr) uint32 {
	key := Key{Kind: profilerecord.RefsGlobal, Role: profilerecord.RefsVariable, Place: uintptr(i), Type: t}
	if runtime {
		key.Kind = profilerecord.RefsRuntimeGlobal
	}
	if ps.IsOneReference(typeAt(t)) {
		key.Role = RoleDirect
	}
	return ps.Find(&key)
}

// ReferenceIn returns the node that names the reference at an offset of the
// variable of node n, if the variable has several references, and otherwise n.
// The node has no objects: it is for the heap graph, because other references
// may have claimed the target. Without room for it, ReferenceIn returns n.
//
//go:nowritebarrierrec
func (ps *Paths) ReferenceIn(n uint32, off uintptr) uint32 {
	from := ps.At(n)
	if n&Lost != 0 || from.Role != profilerecord.RefsVariable {
		return n
	}
	s := ps.SlotAt(ps.elem(typeAt(from.Type)), off)
	if r := ps.lookUp(&Key{Parent: n, Kind: profilerecord.RefsField, Role: profilerecord.RefsVariable, Place: s.Off}, true); r != 0 {
		return r
	}
	return n
}
