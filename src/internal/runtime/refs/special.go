// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Timers, finalizers, cleanups and weak handles.

package refs

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
