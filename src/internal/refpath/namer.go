// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package refpath makes paths of references from the runtime's record of a
// garbage collection (internal/profilerecord/refs.go), in which types and
// functions have no names. A [Namer] names the elements of the paths. A [Tree]
// holds the paths, and writes them as text.
//
// A name identifies a reference and gives its type,
//
//	owner.name type
//
// where the owner is a named type, a function or a variable, with its full
// package path, or an unnamed type, with package names only. The type is
// written as in the source of the owner's package, whose own types have no
// package name. The name depends on the reference and on its parent, and on
// nothing above the parent, so equal references have equal names on all paths.
// The type of the object to which the reference leads is not part of the name,
// unless the reference is an interface, a func value or an unsafe.Pointer, or
// its type is not known: see Name.Objects.
//
//	example.com/app.server                       a global variable
//	example.com/app.Server.conf.tls *tls.Config  a field, with the fields between
//	example.com/app.Session.w io.Writer(*bufio.Writer)
//	example.com/app.Job.fn func(example.com/app.start.func1)
//	map[string]*app.Session[value]               also [key], [table]
//	[]*app.Job[elem]                             also chan *app.Job[elem], [buffer], [waiter]
//	example.com/app.handle.(slot-0x18)           a word of a frame
//	(timer) example.com/app.(*Session).expire    what the runtime keeps
//	example.com/app.table.rows *row (inferred)   the type is that of sampled objects
//	(unknown)                                    nothing is known
//
// Package runtime/pprof uses this package to write the refs and inuse profiles
// and heap graphs. net/http/pprof uses it to write profiles of
// references as text, such as the difference of two refs profiles. go tool
// heapgraph uses it to write the heap graph of a core file and the labels of
// roots.
package refpath

import "internal/profilerecord"

// A Name describes a reference.
type Name struct {
	Elem     Elem
	IsParent bool   // the reference is the variable that is the parent, and has no element of its own
	Objects  string // type of the objects, or "" for a frame or a variable without objects

	variable string // name as the owner of other references, if the reference is a variable
	target   target
}

// A Namer names the nodes of a recording. The caller must name parents before
// their children.
type Namer struct {
	nodes     []profilerecord.RefsNode
	targets   []target // by node: target of its reference
	variables []string // by node: Name.variable
	named     named
	deep      uintptr // return PC in runtime._DeepStack
	program   Program
}

// NewNamer returns a Namer of nodes. deep is the return PC of the frame that
// stands for the frames that were left out of a deep stack.
func NewNamer(nodes []profilerecord.RefsNode, deep uintptr) *Namer {
	return NewNamerOf((*thisProgram)(nil), nodes, deep)
}

// NewNamerOf returns a Namer of nodes of another program.
func NewNamerOf(program Program, nodes []profilerecord.RefsNode, deep uintptr) *Namer {
	return &Namer{
		nodes:     nodes,
		targets:   make([]target, len(nodes)),
		variables: make([]string, len(nodes)),
		named:     make(named),
		deep:      deep,
		program:   program,
	}
}

// Name returns the description of node i.
func (n *Namer) Name(i int) Name {
	r := n.reference(i)
	name := n.named.name(&r)
	if r.node.Inferred {
		name.Elem.Name += " (inferred)"
	}
	n.targets[i], n.variables[i] = name.target, name.variable
	return name
}

// reference returns the reference of node i.
func (n *Namer) reference(i int) reference {
	node := &n.nodes[i]
	p := node.Parent
	r := reference{node: node, parent: &n.nodes[p], target: n.targets[p], deep: n.deep, Program: n.program}
	if r.parent.Role == profilerecord.RefsVariable && !isOwner(r.TypeAt(r.parent.Type)) {
		r.owner = n.variables[p]
	}
	return r
}
