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
	"cmp"
	"internal/abi"
	"internal/profilerecord"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"unsafe"
)

const (
	refsUnknown     = "(unknown)"
	refsNotRecorded = "(not recorded)"
	refsTinyBlock   = "(tiny block)"
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
	nodes     []profilerecord.RefsNode
	targets   []refsTarget // of the references of nodes
	variables []string     // names as owners of nodes that are variables
	names     refsNames
	deep      uintptr // return PC in runtime._DeepStack
}

// A refsReference is all that the name of a reference depends on, as refsNameKey
// tells it in short.
type refsReference struct {
	node   *profilerecord.RefsNode // without Parent, Labels and values
	parent *profilerecord.RefsNode // Kind, Role, PC and Type
	owner  string                  // name of parent if that is the owner, else ""
	target refsTarget              // of parent
}

// A refsName is what is known of a reference.
type refsName struct {
	elem     refsElem
	isParent bool   // the reference is the variable that is the parent: no element of its own
	variable string // name of the reference as an owner, if it is a variable
	target   refsTarget
	objects  string // type of the objects, for the label
}

// A refsTarget is what the type of a reference says of the objects.
type refsTarget struct {
	elem  reflect.Type // type of the object, or of the elements of the array; nil if unknown
	slice string       // type of the reference as an owner, if that is a slice
}

func newRefsNamer(nodes []profilerecord.RefsNode) *refsNamer {
	return &refsNamer{
		nodes:     nodes,
		targets:   make([]refsTarget, len(nodes)),
		variables: make([]string, len(nodes)),
		names:     make(refsNames),
		deep:      pprof_stackSpaceNames().DeepStack,
	}
}

// name returns what is known of node i.
func (n *refsNamer) name(i int) refsName {
	node := &n.nodes[i]
	p := node.Parent
	r := refsReference{node: node, parent: &n.nodes[p], target: n.targets[p]}
	if r.parent.Role == profilerecord.RefsVariable && !isOwner(typeAt(r.parent.Type)) {
		r.owner = n.variables[p]
	}
	name := n.names.get(&r, n)
	n.targets[i], n.variables[i] = name.target, name.variable
	return name
}

// describe names a reference.
func (n *refsNamer) describe(r refsReference) refsName {
	switch r.node.Kind {
	case profilerecord.RefsFrame:
		return refsName{elem: refsElem{pc: r.node.PC}}
	case profilerecord.RefsDeepStack:
		return refsName{elem: refsElem{pc: n.deep}}
	}
	if r.isVariable() {
		return n.variable(r)
	}
	at, ok := r.typed()
	if !ok {
		at = refsTypeWord{name: n.untypedName(r), leaf: typeAt(r.node.Static)}
	} else if at.isElem {
		at.name += r.dynamicType(at.leaf, "")
	} else {
		at.name += " " + r.referenceType(at.leaf, at.pkg)
	}
	target := r.leadsTo(at.leaf)
	if ok && at.pointee != nil {
		target.elem = at.pointee
	}
	return refsName{refsElem{name: at.name}, at.isVariable, r.node.Name, target, r.objectType(at.leaf, target)}
}

// leadsTo returns what a reference of a static type says of the objects.
func (r refsReference) leadsTo(static reflect.Type) refsTarget {
	if static != nil && static.Kind() == reflect.Interface {
		static = typeAt(r.node.Dyn)
		if static != nil && static.Kind() != reflect.Pointer {
			return refsTarget{elem: static} // boxed
		}
	}
	switch {
	case r.node.Kind == profilerecord.RefsArgument:
		return refsTarget{elem: typeAt(r.node.Type)}
	case static == nil:
	case static.Kind() == reflect.Pointer:
		return refsTarget{elem: static.Elem()}
	case static.Kind() == reflect.Slice:
		return refsTarget{elem: static.Elem(), slice: refsTypeName(static)}
	}
	return refsTarget{}
}

// untypedName names a reference that is not in a value of a known type.
func (n *refsNamer) untypedName(r refsReference) string {
	offset := strconv.FormatUint(uint64(r.node.Offset), 16)
	switch r.node.Kind {
	case profilerecord.RefsGlobal, profilerecord.RefsRuntimeGlobal, profilerecord.RefsModuleData:
		return r.node.Name
	case profilerecord.RefsFinalizer:
		return "(finalizer) " + r.referenceType(nil, "")
	case profilerecord.RefsFunction:
		return "(function)" + r.called()
	case profilerecord.RefsArgument:
		return "(argument) " + r.pointerType("")
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
		return refsNotRecorded
	case profilerecord.RefsSlot:
		return n.function(r) + "(slot-0x" + offset + ")"
	case profilerecord.RefsArg:
		return n.function(r) + "(slot+0x" + offset + ")"
	case profilerecord.RefsRegisters:
		return n.function(r) + "(registers)"
	case profilerecord.RefsDefer:
		return n.function(r) + "(defer)" + r.called()
	case profilerecord.RefsContext:
		return n.function(r) + "(closure)" + r.called()
	case profilerecord.RefsCaptured:
		return n.function(r) + "(slot+0x" + offset + ")"
	}
	return refsUnknown
}

// called writes which closure the reference leads to, if it does to one.
func (r refsReference) called() string {
	if r.node.Role != profilerecord.RefsClosure {
		return ""
	}
	return " " + r.closureType()
}

// function returns the name of the function whose frame or closure is the parent and
// a dot, or "" if the parent is something else.
func (n *refsNamer) function(r refsReference) string {
	switch r.parent.Kind {
	case profilerecord.RefsFrame:
		return frameFunction(r.parent.PC) + "."
	case profilerecord.RefsDeepStack:
		return frameFunction(n.deep) + "."
	}
	if r.parent.Role == profilerecord.RefsClosure {
		return functionName(r.parent.PC) + "."
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
		return findRefsWord(t, r.node.Offset, r.owner, r.container(t)), true
	case kind == profilerecord.RefsMapTable && t.Kind() == reflect.Map:
		return refsTypeWord{name: owner + "[table]", isElem: true}, true
	case kind == profilerecord.RefsMapKey && t.Kind() == reflect.Map:
		return findMapWord(t.Key(), abi.MapMaxKeyBytes, r.node.Offset, owner+"[key]"), true
	case kind == profilerecord.RefsMapValue && t.Kind() == reflect.Map:
		return findMapWord(t.Elem(), abi.MapMaxElemBytes, r.node.Offset, owner+"[value]"), true
	case kind == profilerecord.RefsChanBuffer && t.Kind() == reflect.Chan:
		return refsTypeWord{name: owner + "[buffer]", isElem: true}, true
	case kind == profilerecord.RefsChanWaiter && t.Kind() == reflect.Chan:
		return refsTypeWord{name: owner + "[waiter]", isElem: true}, true
	case kind == profilerecord.RefsChanElem && t.Kind() == reflect.Chan:
		return findRefsWord(t.Elem(), r.node.Offset, "", owner+"[elem]"), true
	}
	return at, false
}

// container returns the name of an element, without fields, of the parent's
// objects, which are values of t. The reference to the parent tells whether it is
// the elements of an array or a slice, or what a pointer points to; if it does
// not tell, the elements of a slice are more common.
func (r refsReference) container(t reflect.Type) string {
	to := r.target
	switch known := to.isOf(t); {
	case known && to.elem.Kind() == reflect.Array:
		return refsTypeName(to.elem) + "[elem]"
	case known && to.slice != "":
		return to.slice + "[elem]"
	case known:
		return "*" + to.elem.String() + "[elem]"
	case t.Kind() == reflect.Array:
		return refsTypeName(t) + "[elem]"
	}
	return "[]" + t.String() + "[elem]"
}

// isOf reports whether objects of type t are what the reference says. An array is
// as many objects of its elements' type.
func (to refsTarget) isOf(t reflect.Type) bool {
	return to.elem != nil && t != nil && elemOfArray(to.elem) == elemOfArray(t)
}

// referenceType writes the type of the reference, with the type or function that
// it leads to where its static type does not tell that.
func (r refsReference) referenceType(static reflect.Type, pkg refsPackage) string {
	switch {
	case static == nil || static.Kind() == reflect.UnsafePointer:
		return r.pointerType(pkg)
	case static.Kind() == reflect.Func && r.node.Role == profilerecord.RefsClosure:
		return r.closureType()
	}
	if static.Kind() == reflect.Interface {
		return pkg.typeName(static) + r.dynamicType(static, pkg)
	}
	return pkg.typeName(static)
}

// dynamicType writes in brackets what the reference leads to, if its static type
// does not tell that, else "".
func (r refsReference) dynamicType(static reflect.Type, pkg refsPackage) string {
	if static == nil {
		return ""
	}
	switch static.Kind() {
	case reflect.Interface:
		if r.node.Role == profilerecord.RefsClosure {
			return "(" + r.closureType() + ")"
		}
		if dyn := typeAt(r.node.Dyn); dyn != nil {
			return "(" + pkg.typeName(dyn) + ")"
		}
	case reflect.Func:
		if r.node.Role == profilerecord.RefsClosure {
			return "(" + functionName(r.node.PC) + ")"
		}
	case reflect.UnsafePointer:
		return "(" + r.pointerType(pkg) + ")"
	}
	return ""
}

// pointerType writes the type of a reference of which only the objects tell.
func (r refsReference) pointerType(pkg refsPackage) string {
	t := typeAt(r.node.Type)
	switch {
	case r.node.Role == profilerecord.RefsClosure:
		return r.closureType()
	case t == nil:
		return refsUnknown
	case r.node.Role == profilerecord.RefsObject:
		return "*" + pkg.typeName(t)
	}
	return pkg.typeName(t)
}

func (r refsReference) closureType() string {
	return "func(" + functionName(r.node.PC) + ")"
}

// objectType writes the type of the node's objects. An array that a slice refers
// to is of the slice's type, and the bytes of a string are a string.
func (r refsReference) objectType(static reflect.Type, to refsTarget) string {
	t := typeAt(r.node.Type)
	switch r.node.Role {
	case profilerecord.RefsVariable:
		return ""
	case profilerecord.RefsClosure:
		return r.closureType()
	case profilerecord.RefsType:
		return "abi.Type"
	case profilerecord.RefsObject:
		switch {
		case static != nil && static.Kind() == reflect.String && !r.node.Untyped:
			return "string"
		case to.isOf(t) && to.slice != "":
			return "[]" + to.elem.String()
		case to.isOf(t):
			return to.elem.String()
		}
	}
	if t == nil {
		return refsUnknown
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
	return cmp.Or(runtime_FrameSymbolName(&framesAt(pc)[0]), refsUnknown)
}

// framesAt returns the frame with return PC pc and the calls inlined there, outermost
// first.
func framesAt(pc uintptr) (all []runtime.Frame) {
	frames := runtime.CallersFrames(runtime_expandFinalInlineFrame([]uintptr{pc}))
	for more := true; more; {
		var frame runtime.Frame
		frame, more = frames.Next()
		all = append(all, frame)
	}
	slices.Reverse(all)
	return all
}
