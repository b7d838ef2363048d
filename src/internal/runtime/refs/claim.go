// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Who claims an object.
//
// In most cases, the first reference that reaches an object claims it. The
// functions of this file say when a reference holds the object back instead, or
// leaves it where it is held back.

package refs

import "internal/profilerecord"

// Flags beside Lost in the number of a node, and in the word that an object has
// for the number of its node. Only a process uses Unscanned, HeldNew and Alone:
// its workers release objects together, scan spans, and its program allocates.
const (
	Held      = 1 << 31 // of an object: it is held back at the node
	Unscanned = 1 << 29 // of an object: it is claimed at the node, and the next step of the stage scans it
	HeldNew   = 1 << 28 // of an object with Held: it was allocated while marking
	Delayed   = 1 << 27 // the objects at the node are borrowers, and StageBorrowed scans them
	Alone     = 1 << 26 // of an object: it is scanned by itself, and not with its span
	Partly    = 1 << 25 // of an object: the reference that claimed it does not refer to the whole, so it has a hull

	ObjectFlags = Held | Unscanned | HeldNew | Delayed | Alone | Partly
)

// HoldsBack reports whether a reference that leads to an object holds it back
// at a node of rank r, in place of claiming it. exact is set if the type of the
// object is known, and noscan if it has no pointers.
//
// A sync.Pool owns nothing, and the items in it may refer to objects that
// others own. Therefore they wait for StagePools. An object of unknown type
// whose node is missing may be a channel at which goroutines wait. If the
// references in it were followed early, objects of the runtime would be counted
// here. Therefore it waits for StageBarrier.
func (s Stage) HoldsBack(r Rank, exact, noscan bool) bool {
	switch r {
	case RankPool:
		if s < StagePools && !noscan {
			return true
		}
	case RankLost:
		if s < StageBarrier && !exact && !noscan {
			return true
		}
	}
	return !exact && !s.untyped()
}

// Leaves reports whether a reference of unknown type leaves an object held back
// at a node of rank r, because a reference of unknown type is no better reason.
// What a register refers to is left only in stages that do release it.
func (s Stage) Leaves(r Rank) bool { return r >= max(RankRegisters, stages[s].releases) }

// Better reports whether an object that is held back at a node of rank old is
// to be held back at one of rank r instead.
func (r Rank) Better(old Rank) bool { return r > old }

// HoldsFound reports whether s holds objects back that are found outside of the
// recorder's own scans, for example by the write barrier.
func (s Stage) HoldsFound() bool { return s < StageBarrier }

// RuntimesWait reports whether s holds Gs, Ms and Ps back as those that
// HoldsFound is about. Stacks and channels refer to them, and they refer to
// nearly all objects of the runtime, and to calls that other goroutines have
// deferred.
func (s Stage) RuntimesWait() bool { return s < StageRuntime }

// Borrows reports whether objects of a role are borrowers: contexts whose types
// are those of package context, and closures that objects or global variables
// refer to. inFrame is set if the reference belongs to a goroutine, a
// finalizer, a cleanup or a weak handle.
//
// A closure, such as a callback, captures the objects that it works on. A
// context has the values of a request. Both are often kept in a registry in a
// global variable, but neither owns the objects that it refers to: a database
// belongs to the goroutine that holds it, and not to a metric whose callback
// uses it. Therefore borrowers are claimed as others are, but not scanned
// before StageBorrowed.
func Borrows(role profilerecord.RefsRole, inFrame, isContext bool) bool {
	return role == profilerecord.RefsClosure && !inFrame || role == profilerecord.RefsObject && isContext
}

// Delays reports whether borrowers wait in s.
func (s Stage) Delays() bool { return s < StageBorrowed }
