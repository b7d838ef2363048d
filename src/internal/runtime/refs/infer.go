// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Types of objects to which only references of unknown type lead, such as the
// entries of a map that keeps them as unsafe.Pointers.
//
// The heap keeps the types of a few objects, which were sampled when they were
// allocated. Before a stage releases objects of unknown type, it looks where
// these samples are, and what most of them are that have the same size, and
// pointers in the same words. An object of unknown type with this size and these
// pointers is then taken for one of their type. Samples that are held back at
// its node come first. If there are none, those decide that no reference has
// had reached when they were looked at: they may be below objects of unknown
// type, such as in a list all but the first element. But they may also be dead,
// or have a typed reference that a later stage follows.
//
// Therefore a type is only a guess until the last stage looks where the samples
// have been claimed. It holds if two samples or more were claimed at the node,
// and all are of this type. Otherwise the objects at the node, and what they
// lead to, are of unknown type after all (Verify). What keeps a type below: an
// object with a header, other than a part of a map or a channel, and one whose
// key has folded to a node above the wrong one.
//
// An object with pointers in other words is never taken for one of a type, so
// its words are only read for what they are (confirm.go has the same rule for
// what is below). Objects without pointers have nothing that tells one type from
// another, and larger ones have their type in their header: both have no
// evidence here.
//
// What a later stage finds counts from that stage on, and what has been claimed
// by then keeps its type. Within a stage the evidence does not change, so that
// the order of marking does not matter.

package refs

import (
	"internal/profilerecord"
	"internal/runtime/atomic"
	"unsafe"
)

// Limits of the number of records of evidence: mostSamples for samples, then as
// many for all types of a shape, and the rest for Verify.
const (
	maxEvidence = 1 << 16
	mostGuesses = maxEvidence / 2
	mostSamples = mostGuesses / 2
)

// evidence has the types of samples. Any P adds records. The fields fresh and in
// change while no worker marks.
type evidence struct {
	array Array
	fresh bool        // samples have been added since the last call of weigh
	used  atomic.Bool // there are nodes whose type is inferred
	in    uint32      // 1 + the stage in which types are inferred now, or 0 if none are
}

// A shape is what objects of unknown type have in common.
type shape struct {
	bits  uint64  // words with pointers
	node  uint32  // 0 for samples that no reference has reached
	class uint8   // as in Target
	typ   uintptr // *abi.Type for the samples of this type, or 0 for all
}

// A sampled is a record of evidence: the samples of a shape.
type sampled struct {
	links Links
	shape
	weight   atomic.Uint64  // of the samples, or of those of the best type
	best     atomic.Uintptr // for all types: the type of most samples
	disagree atomic.Bool    // of those that are claimed: one has not the type of the node
}

// oldWeight is the weight of a sample that has survived a collection. That of
// others is 1: most of them are dead.
const oldWeight = 1 << 20

// Samples reports whether s, before it releases objects, needs the samples.
func (s Stage) Samples() bool {
	return stages[s].roots == HeldObjects && stages[s].releases != RankPool
}

// WantsSamples reports whether the samples are to be added in s, which Samples
// is true for. In the last stage, they are if types have been inferred. In
// others, they are if there is memory. Until InferIn is called again, no type is
// inferred.
func (ps *Paths) WantsSamples(s Stage, m Memory) bool {
	ev := &ps.evidence
	ev.in = 0
	if s == StageBarrier {
		return ev.used.Load()
	}
	ev.fresh = ev.array.IsMade() || ev.array.Make(m, unsafe.Sizeof(sampled{}))
	return ev.fresh
}

// InferIn infers types in s if there is evidence and references of unknown type
// claim at once. In other stages, objects wait for references that give a type.
func (ps *Paths) InferIn(s Stage) {
	ev := &ps.evidence
	ev.in = 0
	if !s.untyped() || s >= StageBarrier || ev.array.Len() <= 1 {
		return
	}
	ev.in = uint32(s) + 1
	if ev.fresh {
		ev.fresh = false
		ps.weigh()
	}
}

// weigh finds the type that most samples of each shape have, and of types with
// as many the one with the first name.
func (ps *Paths) weigh() {
	ev := &ps.evidence
	for i := range ev.array.Len() {
		r := ev.at(i)
		if r.typ == 0 {
			continue
		}
		all := r.shape
		all.typ = 0
		if a := ev.find(&all, mostGuesses); a != nil {
			w, most := r.weight.Load(), a.weight.Load()
			if best := typeAt(a.best.Load()); w > most || w == most && best != nil && ps.Heap.Name(typeAt(r.typ)) < ps.Heap.Name(best) {
				a.weight.Store(w)
				a.best.Store(r.typ)
			}
		}
	}
}

// AddSample notes that o, whose word is w, was allocated with the type typ. old
// is set if that was before the last collection. Without room, AddSample does
// nothing. A type that package reflect has made is never inferred, but disagrees.
//
//go:nowritebarrierrec
func (ps *Paths) AddSample(s Stage, w uint32, old bool, o *Target, typ uintptr) {
	if !ps.hasBits(o) || !ps.Heap.IsType(typeAt(typ)) {
		return
	}
	x := shape{bits: ps.Heap.PointerBits(o.Base), class: o.Class, typ: addressOf(ps.elemOf(typeAt(typ)))}
	switch {
	case w != 0 && w&Held == 0:
		if s == StageBarrier {
			ps.addClaimed(w, x.typ)
		}
		return
	case !ps.hasPointersOf(o, &Key{Role: profilerecord.RefsObject, Type: x.typ}):
		return
	case w != 0:
		if !ps.isUnknown(w) || !s.Releases(ps.RankAt(w, s)) {
			return
		}
		x.node = w % MaxNodes
	}
	if r := ps.evidence.find(&x, mostSamples); r != nil {
		weight := int64(1)
		if old {
			weight = oldWeight
		}
		r.weight.Add(weight)
	}
}

// addClaimed is AddSample for objects that are claimed.
func (ps *Paths) addClaimed(w uint32, typ uintptr) {
	node := ps.At(w)
	if node.Variant&VariantInferred == 0 || w&Lost != 0 {
		return
	}
	if r := ps.evidence.find(&shape{node: w % MaxNodes}, maxEvidence); r == nil {
		return
	} else if typ == node.Type {
		r.weight.Add(1)
	} else {
		r.disagree.Store(true)
	}
}

// isUnknown reports whether the objects at node n are of a type that may be
// inferred. That of objects that are found only outside of scans may not.
func (ps *Paths) isUnknown(n uint32) bool {
	node := ps.At(n)
	return n&Lost == 0 && node.Type == 0 && node.Role == profilerecord.RefsObject && n%MaxNodes != NodeBarrier
}

// typeOf returns the type of objects like o, with pointers in the words of bits,
// at node n, which is 0 if there is no such node yet. It returns 0 if the type
// remains unknown.
func (ev *evidence) typeOf(n uint32, o *Target, bits uint64) uintptr {
	x := shape{bits: bits, node: n, class: o.Class}
	r := ev.find(&x, 0)
	if r == nil && n != 0 {
		x.node = 0
		r = ev.find(&x, 0)
	}
	if r == nil {
		return 0
	}
	return r.best.Load()
}

// Infers returns a number that says which evidence counts now, and 0 if there is
// none.
//
//go:nowritebarrierrec
func (ps *Paths) Infers() uint32 { return ps.evidence.in }

// infer sets the type in key, which Resolve has filled in for a reference to o
// and which is not exact, if the type can be inferred and there is room for its
// node. It reports whether it has set a type.
func (ps *Paths) infer(o *Target, key *Key) bool {
	if key.Type != 0 || key.Role != profilerecord.RefsObject || !ps.hasBits(o) {
		return false
	}
	bits := ps.Heap.PointerBits(o.Base)
	if o.Check == CheckTypeless {
		o.Seen = uintptr(bits)
	} else {
		o.Check = CheckNever
	}
	n := ps.fold(key)
	if n == 0 {
		n = ps.lookUp(key, false)
	}
	if n != 0 && !ps.isUnknown(n) {
		return false
	}
	typed := *key
	if typed.Type = ps.evidence.typeOf(n, o, bits); typed.Type == 0 {
		return false
	}
	typed.Variant = VariantInferred
	if ps.Find(&typed)&Lost != 0 {
		return false
	}
	*key = typed
	return true
}

// Inferred returns the node at which an object like o is released, in place of
// node n: the node of its type if that can be inferred, and otherwise n.
//
//go:nowritebarrierrec
func (ps *Paths) Inferred(n uint32, o *Target) uint32 {
	if ps.evidence.in == 0 || !ps.hasBits(o) || !ps.isUnknown(n) {
		return n
	}
	key := ps.At(n).Key
	if key.Type = ps.evidence.typeOf(n%MaxNodes, o, ps.Heap.PointerBits(o.Base)); key.Type == 0 {
		return n
	}
	key.Variant = VariantInferred
	if typed := ps.Find(&key); typed&Lost == 0 {
		return typed
	}
	return n
}

// Verify removes the types that do not hold, after the last stage. What is below
// objects of unknown type gets the keys that references in these would have
// given it.
func (ps *Paths) Verify() {
	if !ps.evidence.used.Load() {
		return
	}
	for n := uint32(1); n < ps.Len(); n++ {
		node, parent := ps.At(n), ps.At(ps.At(n).Parent)
		if node.Variant&VariantInferred != 0 && !ps.evidence.holds(n) {
			node.Type, node.Variant = 0, 0
		}
		typeless := parent.guessed && parent.Type == 0 && parent.Role == profilerecord.RefsObject
		switch {
		case node.Type != 0 && (node.Untyped || node.Variant&VariantHeaded != 0):
			if typeless {
				node.Kind, node.Untyped, node.Dynamic = profilerecord.RefsUnknown, true, 0
				if node.Variant&VariantHeadedArray != 0 {
					node.Variant |= VariantArray
				}
			}
		case !node.guessed:
		case parent.holdsUnknown():
			node.Key = parent.Key
		case typeless:
			node.Key = Key{Parent: node.Parent, Kind: profilerecord.RefsUnknown, Untyped: true}
		}
	}
}

// holds reports whether the type of node n holds.
func (ev *evidence) holds(n uint32) bool {
	r := ev.find(&shape{node: n}, 0)
	return r != nil && r.weight.Load() > 1 && !r.disagree.Load()
}

// find returns the record of a shape. If there is none, it adds one if there are
// fewer than most records, and otherwise returns nil.
func (ev *evidence) find(x *shape, most uint32) *sampled {
	mine := uint32(0)
	w := ev.array.Walk(x.hash())
	for {
		i := w.Link().Load()
		if i == 0 {
			if most == 0 {
				return nil
			}
			if mine == 0 {
				var ok bool
				if mine, ok = ev.array.Add(most); !ok {
					return nil
				}
				ev.at(mine).shape = *x
			}
			if w.Link().CompareAndSwap(0, mine) {
				return ev.at(mine)
			}
			i = w.Link().Load()
		}
		if r := ev.at(i); r.shape == *x {
			return r
		}
		w = w.Down(&ev.at(i).links)
	}
}

func (ev *evidence) at(i uint32) *sampled { return (*sampled)(unsafe.Pointer(ev.array.At(i))) }

func (x *shape) hash() uint64 {
	h := uint64(x.node)<<8 ^ uint64(x.class) ^ x.bits*0xbf58476d1ce4e5b9 ^ uint64(x.typ)<<13
	h ^= h >> 32
	h *= 0x94d049bb133111eb
	return h ^ h>>32
}
