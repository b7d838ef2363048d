// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package profilerecord

// A RefsMember identifies members of a set whose retained size a recording
// finds: the objects of a type, or references such as those in a field or a
// variable. It does not depend on the path to these members. The recorder makes
// a RefsMember from the key of a node (see RefsChoice), and compares it with
// others. Two RefsMembers are the same member if they are equal apart from Set.
// The fields that Form does not use are 0.
type RefsMember struct {
	Set  uint8 // 1 + index of the set
	Form RefsMemberForm
	Kind RefsKind
	Role RefsRole

	// These are fields of the keys that the recorder has for a node and its
	// parent. Parent is a type or, if the parent is a variable, the number
	// that identifies the variable. ParentFunc is then the variable's kind
	// or, for a captured variable, the function of the closure. If the
	// parent is a closure, ParentFunc is its function.
	Offset, Type, Dyn, Func, Parent, ParentFunc uintptr
}

// A RefsMemberForm says what identifies the members of a set.
type RefsMemberForm uint8

const (
	RefsMemberVariable  RefsMemberForm = 1 + iota // references in a variable
	RefsMemberReference                           // a reference in objects of a type, in a closure, or in a variable
	RefsMemberObject                              // objects of a type
)

// A RefsChoice chooses a member: the variable, reference or type of a node.
type RefsChoice struct {
	Node int32 // index in RefsProfile.Nodes
	Form RefsMemberForm
	Set  uint8
}

// RefsMaxSets is the largest number of sets of a recording.
const RefsMaxSets = 100

// RefsFreedLater is the value of RefsNode.Set for objects that are reached only
// from finalizers, cleanups and weak handles of objects that are not reached
// from outside the sets.
const RefsFreedLater = 255
