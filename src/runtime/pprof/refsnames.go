// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Names of the elements of refs paths. newRefs asks a refsNamer for the name of
// each reference of a recording. A name tells the reference and its type,
//
//	owner.name type
//
// where the owner is a named type or a function, with its full package path, and
// types are written as reflect writes them. It depends on the reference and on
// what its parent is, but on nothing above that, so that equal references have
// equal names on all paths. The type of the object reached is not part of the
// name but a label of the sample: see objectType.
//
//	example.com/app.server                       a global variable
//	example.com/app.Server.conf.tls *tls.Config  a field, with the fields between
//	example.com/app.Session.w io.Writer(*bufio.Writer)
//	example.com/app.Job.fn func(example.com/app.start.func1)
//	map[string]*app.Session[value]               also [key], [table]
//	[]*app.Job[elem]                             also chan *app.Job[elem], [buffer]
//	example.com/app.handle.(slot-0x18)           a word of a frame
//	(timer) example.com/app.(*Session).expire    what the runtime keeps
//	(unknown)                                    nothing is known

package pprof

import (
	"internal/profilerecord"
	"reflect"
	"runtime"
	"strconv"
	"unsafe"
)

// A refsElem is an element of a path: a frame with a return PC, or a reference
// with a name.
type refsElem struct {
	name string
	pc   uintptr
}

// A refsNamer names the nodes of a recording. It must see parents before their
// children.
type refsNamer struct {
	nodes  []profilerecord.RefsNode
	static []reflect.Type // of the references of nodes, where that is known
	names  map[refsReference]refsName
	deep   uintptr // return PC in runtime._DeepStack
}

// A refsReference is all that the name of a reference depends on.
type refsReference struct {
	node   profilerecord.RefsNode // without Parent and values
	parent profilerecord.RefsNode // likewise, and without what only its own name depends on
	static reflect.Type           // of parent
}

// A refsName is what is known of a reference.
type refsName struct {
	elem    refsElem
	static  reflect.Type // type of the reference itself, nil if unknown
	objects string       // type of the objects, for the label
}

func newRefsNamer(nodes []profilerecord.RefsNode) *refsNamer {
	return &refsNamer{
		nodes:  nodes,
		static: make([]reflect.Type, len(nodes)),
		names:  make(map[refsReference]refsName),
		deep:   pprof_stackSpaceNames().DeepStack,
	}
}

// name returns the element that node i is, and the type of its objects.
func (n *refsNamer) name(i int) (elem refsElem, objects string) {
	node := n.nodes[i]
	p := node.Parent
	r := refsReference{node: node, parent: n.nodes[p], static: n.static[p]}
	r.node.Parent, r.node.Objects, r.node.Bytes, r.node.Labels = 0, 0, 0, nil
	r.parent = profilerecord.RefsNode{Kind: r.parent.Kind, Role: r.parent.Role, PC: r.parent.PC, Type: r.parent.Type}
	if r.parent.Role == profilerecord.RefsVariable {
		r.parent.Name = n.nodes[p].Name
	}
	name, ok := n.names[r]
	if !ok {
		name = n.describe(r)
		n.names[r] = name
	}
	n.static[i] = name.static
	return name.elem, name.objects
}

// describe names a reference.
func (n *refsNamer) describe(r refsReference) refsName {
	switch r.node.Kind {
	case profilerecord.RefsFrame:
		return refsName{elem: refsElem{pc: r.node.PC}}
	case profilerecord.RefsDeepStack:
		return refsName{elem: refsElem{pc: n.deep}}
	}
	var name string
	static := typeAt(r.node.Static)
	if at, ok := r.typed(); ok {
		name, static = at.name, at.leaf
		if at.isElem {
			name += r.dynamicType(static)
		} else {
			name += " " + r.referenceType(static)
		}
	} else {
		name = n.untypedName(r)
	}
	return refsName{refsElem{name: name}, static, r.objectType(static)}
}

// untypedName names a reference that is not in a value of a known type.
func (n *refsNamer) untypedName(r refsReference) string {
	offset := strconv.FormatUint(uint64(r.node.Offset), 16)
	switch r.node.Kind {
	case profilerecord.RefsGlobal, profilerecord.RefsRuntimeGlobal, profilerecord.RefsModuleData:
		return r.node.Name
	case profilerecord.RefsFinalizer:
		return "(finalizer) " + r.referenceType(nil)
	case profilerecord.RefsFinalizerQueue:
		return "(finalizer queue)"
	case profilerecord.RefsCleanup:
		return "(cleanup) " + functionName(r.node.PC)
	case profilerecord.RefsCleanupQueue:
		return "(cleanup queue)"
	case profilerecord.RefsTimer:
		if r.node.PC == 0 {
			return "(timer) chan time.Time"
		}
		return "(timer) " + functionName(r.node.PC)
	case profilerecord.RefsWeak:
		return "(weak handle)"
	case profilerecord.RefsBarrier:
		return "(write barrier)"
	case profilerecord.RefsAllocated:
		return "(allocated during GC)"
	case profilerecord.RefsNoMemory:
		return "(not recorded)"
	case profilerecord.RefsSlot:
		return n.function(r) + "(slot-0x" + offset + ")"
	case profilerecord.RefsArg:
		return n.function(r) + "(slot+0x" + offset + ")"
	case profilerecord.RefsRegisters:
		return n.function(r) + "(registers)"
	case profilerecord.RefsDefer:
		return n.function(r) + "(defer)"
	case profilerecord.RefsCaptured:
		return functionName(r.parent.PC) + ".(slot+0x" + offset + ")"
	}
	return "(unknown)"
}

// function returns the name of the function whose frame is the parent and a
// dot, or "" if the parent is no frame.
func (n *refsNamer) function(r refsReference) string {
	switch r.parent.Kind {
	case profilerecord.RefsFrame:
		return frameFunction(r.parent.PC) + "."
	case profilerecord.RefsDeepStack:
		return frameFunction(n.deep) + "."
	}
	return ""
}

// typed finds the reference in the type of its parent's objects. ok is false if
// the node is of another kind, or the parent's type is not known.
func (r refsReference) typed() (at refsTypeWord, ok bool) {
	t := typeAt(r.parent.Type)
	if t == nil {
		return at, false
	}
	owner := refsTypeName(t)
	switch kind := r.node.Kind; {
	case kind == profilerecord.RefsField:
		variable := ""
		if r.parent.Role == profilerecord.RefsVariable {
			variable = r.parent.Name
		}
		return findRefsWord(t, r.node.Offset, variable, r.container(t)), true
	case kind == profilerecord.RefsMapTable && t.Kind() == reflect.Map:
		return refsTypeWord{name: owner + "[table]", isElem: true}, true
	case kind == profilerecord.RefsMapKey && t.Kind() == reflect.Map:
		return findRefsWord(t.Key(), r.node.Offset, "", owner+"[key]"), true
	case kind == profilerecord.RefsMapValue && t.Kind() == reflect.Map:
		return findRefsWord(t.Elem(), r.node.Offset, "", owner+"[value]"), true
	case kind == profilerecord.RefsChanBuffer && t.Kind() == reflect.Chan:
		return refsTypeWord{name: owner + "[buffer]", isElem: true}, true
	case kind == profilerecord.RefsChanElem && t.Kind() == reflect.Chan:
		return findRefsWord(t.Elem(), r.node.Offset, "", owner+"[elem]"), true
	}
	return at, false
}

// container returns the name of an element, without fields, of the parent's
// objects. They are values of t, which may be an array. The reference to the
// parent tells whether it is the elements of a slice, or what a pointer points
// to; if it does not tell, the elements of a slice are more common.
func (r refsReference) container(t reflect.Type) string {
	s := r.static
	switch {
	case t.Kind() == reflect.Array:
		return refsTypeName(t) + "[elem]"
	case s == nil:
	case (s.Kind() == reflect.Slice || s.Kind() == reflect.Pointer) && s.Elem() == t:
		return refsTypeName(s) + "[elem]"
	case s.Kind() == reflect.Pointer || s.Kind() == reflect.Interface:
		return "*" + t.String() + "[elem]"
	}
	return "[]" + t.String() + "[elem]"
}

// referenceType writes the type of the reference, with the type or function that
// it leads to where its static type does not tell that.
func (r refsReference) referenceType(static reflect.Type) string {
	switch {
	case static == nil || static.Kind() == reflect.UnsafePointer:
		return r.pointerType()
	case static.Kind() == reflect.Func && r.node.Role == profilerecord.RefsClosure:
		return r.closureType()
	}
	if static.Kind() == reflect.Interface {
		return static.String() + r.dynamicType(static)
	}
	return static.String()
}

// dynamicType writes in brackets what the reference leads to, if its static type
// does not tell that, else "".
func (r refsReference) dynamicType(static reflect.Type) string {
	if static == nil {
		return ""
	}
	switch static.Kind() {
	case reflect.Interface:
		if r.node.Role == profilerecord.RefsClosure {
			return "(" + r.closureType() + ")"
		}
		if dyn := typeAt(r.node.Dyn); dyn != nil {
			return "(" + dyn.String() + ")"
		}
	case reflect.Func:
		if r.node.Role == profilerecord.RefsClosure {
			return "(" + functionName(r.node.PC) + ")"
		}
	case reflect.UnsafePointer:
		return "(" + r.pointerType() + ")"
	}
	return ""
}

// pointerType writes the type of a reference of which only the objects tell.
func (r refsReference) pointerType() string {
	t := typeAt(r.node.Type)
	switch {
	case r.node.Role == profilerecord.RefsClosure:
		return r.closureType()
	case t == nil:
		return "(unknown)"
	case r.node.Role == profilerecord.RefsObject:
		return "*" + t.String()
	}
	return t.String()
}

func (r refsReference) closureType() string {
	return "func(" + functionName(r.node.PC) + ")"
}

// objectType writes the type of the node's objects. An array that a slice refers
// to is of the slice's type, and the bytes of a string are a string.
func (r refsReference) objectType(static reflect.Type) string {
	t := typeAt(r.node.Type)
	switch r.node.Role {
	case profilerecord.RefsVariable:
		return ""
	case profilerecord.RefsClosure:
		return r.closureType()
	case profilerecord.RefsType:
		return "abi.Type"
	case profilerecord.RefsObject:
		if static == nil || r.node.Untyped {
			break
		}
		switch {
		case static.Kind() == reflect.String:
			return "string"
		case static.Kind() == reflect.Slice && (t == nil || t == static.Elem()):
			return "[]" + static.Elem().String()
		}
	}
	if t == nil {
		return "(unknown)"
	}
	return t.String()
}

// typeAt returns the type whose descriptor t points to, or nil.
func typeAt(t unsafe.Pointer) reflect.Type {
	if t == nil {
		return nil
	}
	// The value of an interface is not looked at to find its type.
	eface := struct{ typ, data unsafe.Pointer }{typ: t}
	return reflect.TypeOf(*(*any)(unsafe.Pointer(&eface)))
}

// functionName returns the name of the function that starts at entry.
func functionName(entry uintptr) string {
	return frameFunction(entry + 1)
}

// frameFunction returns the name of the function whose frame has return PC pc.
// Of inlined calls that is the outermost.
func frameFunction(pc uintptr) string {
	pcs := runtime_expandFinalInlineFrame([]uintptr{pc})
	frame, _ := runtime.CallersFrames(pcs[len(pcs)-1:]).Next()
	if name := runtime_FrameSymbolName(&frame); name != "" {
		return name
	}
	return "(unknown)"
}
