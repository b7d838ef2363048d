// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package profilerecord

// A RefsMember identifies members of a set whose retained size a recording
// finds: the objects of a type, or the objects to which references of one kind
// lead. It says nothing about the path to them. The recorder makes it from a
// node (see RefsChoice), and compares it. Two members are the same if they are
// equal apart from Set. The fields that Form does not use are 0.
type RefsMember struct {
	Set  uint8 // 1 + index of the set
	Form RefsMemberForm
	Kind RefsKind
	Role RefsRole

	// As in the recorder's keys of nodes. Parent is a type or, if the
	// parent is a variable, what identifies the variable.
	Offset, Type, Dyn, Func, Parent, ParentFunc uintptr
}

// A RefsMemberForm says what identifies the members of a set.
type RefsMemberForm uint8

const (
	RefsMemberVariable  RefsMemberForm = 1 + iota // references in a variable
	RefsMemberReference                           // a reference in objects of a type, in a closure, or in a variable
	RefsMemberObject                              // objects of a type
)

// A RefsChoice chooses a member: the variable, reference or type that a node
// has.
type RefsChoice struct {
	Node int32 // index in RefsProfile.Nodes
	Form RefsMemberForm
	Set  uint8
}

// RefsMaxSets is the most sets of a recording.
const RefsMaxSets = 100

// RefsFreedLater is the value of RefsNode.Set for what only finalizers and
// cleanups retain.
const RefsFreedLater = 255
