// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Timers, finalizers, cleanups and weak handles.

package refs

import "internal/profilerecord"

// FinalizerNode returns the node of finalizers of objects of a type, or of an
// unknown one if elem is 0.
//
//go:nowritebarrierrec
func (ps *Paths) FinalizerNode(elem uintptr) uint32 {
	return ps.Find(&Key{Kind: profilerecord.RefsFinalizer, Type: elem})
}

// FinalizerQueueNode returns the node of finalizers that are about to run.
//
//go:nowritebarrierrec
func (ps *Paths) FinalizerQueueNode() uint32 {
	return ps.Find(&Key{Kind: profilerecord.RefsFinalizerQueue})
}

// CleanupKey returns the key of the node of cleanups with the function at pc.
func CleanupKey(queued bool, pc uintptr) Key {
	if queued {
		return Key{Kind: profilerecord.RefsCleanupQueue, Place: pc}
	}
	return Key{Kind: profilerecord.RefsCleanup, Place: pc}
}

// FunctionKey and ArgumentKey return the keys of the functions and the argument
// of the finalizers or cleanups at a node, without their types.
func FunctionKey(node uint32) Key { return Key{Parent: node, Kind: profilerecord.RefsFunction} }
func ArgumentKey(node uint32) Key { return Key{Parent: node, Kind: profilerecord.RefsArgument} }

// WeakKey returns the key of weak handles, without their type.
func WeakKey() Key { return Key{Kind: profilerecord.RefsWeak} }

// TimerKey returns the key of timers such as o that are for the function at pc,
// or for none if pc is 0. A timer is one of package time or, for a goroutine
// that sleeps, one of the runtime.
//
//go:nowritebarrierrec
func (ps *Paths) TimerKey(pc uintptr, o *Target) Key {
	k := Key{Kind: profilerecord.RefsTimer, Place: pc}
	switch {
	case ps.isOf(o, ps.Known.TimeTimer):
		k.Type = ps.Known.TimeTimer
	case ps.isOf(o, ps.Known.Timer):
		k.Type = ps.Known.Timer
	}
	return k
}

// isOf reports whether o has the size of a value of type t, which may be 0.
func (ps *Paths) isOf(o *Target, t uintptr) bool {
	return t != 0 && ps.fits(o, typeAt(t).Size_)
}

// A TimerCalls says how the function that a timer runs leads to the function
// that the timer is for. A path has the latter: a timer of time.AfterFunc is
// named by its callback.
type TimerCalls uint8

const (
	TimerCallsItself   TimerCalls = iota // the function is the one that the timer is for
	TimerCallsArgument                   // the function calls its argument: time.AfterFunc
	TimerSends                           // the function sends on a channel, and the timer is for none
)

// TimerCallsOf returns the TimerCalls of the function with a name. Only
// functions of package time call their argument or send.
func TimerCallsOf(function string) TimerCalls {
	switch function {
	case "time.sendTime":
		return TimerSends
	case "time.goFunc":
		return TimerCallsArgument
	}
	return TimerCallsItself
}

// A Holder says to what the heap graph attaches a reference.
type Holder uint8

const (
	HeldByObject  Holder = iota // the object that has the word
	HeldByRoot                  // a node, and the goroutine whose stack has the word
	HeldBySpecial               // the object that has the finalizer, cleanup or weak handle, which is a root of its own
	HeldAsOwned                 // an object, but only for objects that no other references reach
)

// HolderOf returns the Holder of a reference in an object or a variable. byNode
// is set for variables, and for objects whose references count as those of a
// node. second is set if the object is of the second class.
func HolderOf(byNode, second bool) Holder {
	switch {
	case byNode:
		return HeldByRoot
	case second:
		return HeldAsOwned
	}
	return HeldByObject
}

// RootHolder returns the Holder of a reference that is in no object. special is
// set if it belongs to a special of an object, and dead if nothing has marked
// that object: such an object is no root.
func RootHolder(special, dead bool) Holder {
	switch {
	case !special:
		return HeldByRoot
	case dead:
		return HeldAsOwned
	}
	return HeldBySpecial
}
