// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file turns references into names. A reference is a node of a recording,
// together with what is known of the node's parent. variable.go names the
// variables of functions, and word.go finds the place of a reference in a type.

package refpath

import (
	"internal/abi"
	"internal/profilerecord"
	"reflect"
	"strconv"
	"strings"
)

// A reference has everything that its name depends on. A nameKey has the same
// properties in fewer words.
type reference struct {
	node    *profilerecord.RefsNode // Parent, Labels, Second, Set, Member, Leaked and values are not used
	parent  *profilerecord.RefsNode // only Kind, Role, PC and Type are used
	owner   string                  // name of the parent if the parent is the owner, else ""
	target  target                  // target of parent
	deep    uintptr                 // return PC in runtime._DeepStack, the same for all references
	Program                         // program to which the types and functions belong, the same for all references
}

// isVariable reports whether the reference is a function's variable.
func (r *reference) isVariable() bool {
	return r.node.Kind == profilerecord.RefsLocal || r.node.Kind == profilerecord.RefsCaptured && r.node.Form != 0
}

// describe names the reference.
func (r *reference) describe() Name {
	switch r.node.Kind {
	case profilerecord.RefsFrame:
		return Name{Elem: Elem{PC: r.node.PC}}
	case profilerecord.RefsDeepStack:
		return Name{Elem: Elem{PC: r.deep}}
	}
	if r.isVariable() {
		return funcVariable{r}.describe()
	}
	at, ok := r.typed()
	if !ok {
		at = typeWord{name: r.untypedName(), leaf: r.TypeAt(r.node.Static)}
	} else if at.isElem {
		at.name += r.dynamicType(at.leaf, "")
	} else {
		at.name += " " + r.referenceType(at.leaf, at.pkg)
	}
	to := r.leadsTo(at.leaf)
	if ok && at.pointee != nil {
		to.elem = at.pointee
	}
	to = r.inArray(to)
	return Name{
		Elem:     Elem{Name: at.name},
		IsParent: at.isVariable,
		Objects:  r.objectType(at.leaf, to),
		variable: r.node.Name,
		target:   to,
	}
}

// untypedName names a reference that is not in a value of a known type.
func (r *reference) untypedName() string {
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
		return "(cleanup) " + r.functionName(r.node.PC)
	case profilerecord.RefsCleanupQueue:
		if r.node.PC == 0 {
			return "(cleanup queue)"
		}
		return "(cleanup queue) " + r.functionName(r.node.PC)
	case profilerecord.RefsTimer:
		if r.node.PC == 0 {
			return "(timer) chan time.Time"
		}
		return "(timer) " + r.functionName(r.node.PC)
	case profilerecord.RefsWeak:
		return "(weak handle)"
	case profilerecord.RefsBarrier:
		return "(write barrier)"
	case profilerecord.RefsAllocated:
		return "(allocated during GC)"
	case profilerecord.RefsNoMemory:
		return NotRecorded
	case profilerecord.RefsSlot:
		return r.function() + "(slot-0x" + offset + ")"
	case profilerecord.RefsArg:
		return r.function() + "(slot+0x" + offset + ")"
	case profilerecord.RefsRegisters:
		return r.function() + "(registers)"
	case profilerecord.RefsDefer:
		return r.function() + "(defer)" + r.called()
	case profilerecord.RefsContext:
		return r.function() + "(closure)" + r.called()
	case profilerecord.RefsCaptured:
		return r.function() + "(slot+0x" + offset + ")"
	}
	return Unknown
}

// called returns a space and the type of the closure that the reference leads
// to, or "" if it leads to no closure.
func (r *reference) called() string {
	if r.node.Role != profilerecord.RefsClosure {
		return ""
	}
	return " " + r.closureType()
}

// function returns the name of the function whose frame or closure is the
// parent, and a dot. It returns "" if the parent is something else.
func (r *reference) function() string {
	switch r.parent.Kind {
	case profilerecord.RefsFrame:
		return r.frameFunction(r.parent.PC) + "."
	case profilerecord.RefsDeepStack:
		return r.frameFunction(r.deep) + "."
	}
	if r.parent.Role == profilerecord.RefsClosure {
		return r.functionName(r.parent.PC) + "."
	}
	return ""
}

// typed finds the reference in the type of its parent's objects. ok is false if
// the parent's type is not known, or if a reference of the node's kind is not
// in a value of that type.
func (r *reference) typed() (at typeWord, ok bool) {
	t := r.TypeAt(r.parent.Type)
	if t == nil {
		return at, false
	}
	owner := ownerName(t)
	switch kind := r.node.Kind; {
	case kind == profilerecord.RefsField:
		return findWord(t, r.node.Offset, r.owner, r.container(t)), true
	case kind == profilerecord.RefsMapTable && t.Kind() == reflect.Map:
		return typeWord{name: owner + "[table]", isElem: true}, true
	case kind == profilerecord.RefsMapKey && t.Kind() == reflect.Map:
		return findMapWord(t.Key(), abi.MapMaxKeyBytes, r.node.Offset, owner+"[key]"), true
	case kind == profilerecord.RefsMapValue && t.Kind() == reflect.Map:
		return findMapWord(t.Elem(), abi.MapMaxElemBytes, r.node.Offset, owner+"[value]"), true
	case kind == profilerecord.RefsChanBuffer && t.Kind() == reflect.Chan:
		return typeWord{name: owner + "[buffer]", isElem: true}, true
	case kind == profilerecord.RefsChanWaiter && t.Kind() == reflect.Chan:
		return typeWord{name: owner + "[waiter]", isElem: true}, true
	case kind == profilerecord.RefsChanElem && t.Kind() == reflect.Chan:
		return findWord(t.Elem(), r.node.Offset, "", owner+"[elem]"), true
	}
	return at, false
}

// container returns the name of a reference in the parent's objects that is in
// no field of a struct: the name of the container, and [elem]. The objects are
// values of t. In most cases the reference to the parent's objects shows
// whether they are in an array or a slice, or are the target of a pointer. In
// all other cases container assumes an array if t is an array type, and
// otherwise a slice, because slices are more common.
func (r *reference) container(t reflect.Type) string {
	to := r.target
	switch known := to.isOf(t); {
	case known && to.elem.Kind() == reflect.Array:
		return ownerName(to.elem) + "[elem]"
	case known && to.slice != "":
		return to.slice + "[elem]"
	case known:
		return "*" + to.elem.String() + "[elem]"
	case t.Kind() == reflect.Array:
		return ownerName(t) + "[elem]"
	}
	return "[]" + t.String() + "[elem]"
}

// referenceType returns the type of the reference. It adds the dynamic type to
// an interface type. If the static type is not known, is unsafe.Pointer, is a
// shape while the type of the objects is inferred, or is
// that of a func value whose function is known, it returns a type that shows
// the objects or the function instead.
func (r *reference) referenceType(static reflect.Type, pkg pkgPath) string {
	switch {
	case static == nil || static.Kind() == reflect.UnsafePointer || r.node.Inferred && isShape(static):
		return r.pointerType(pkg)
	case static.Kind() == reflect.Func && r.node.Role == profilerecord.RefsClosure:
		return r.closureType()
	}
	if static.Kind() == reflect.Interface {
		return pkg.typeName(static) + r.dynamicType(static, pkg)
	}
	return pkg.typeName(static)
}

// dynamicType returns, in parentheses, the type or function to which the
// reference leads. It returns "" if the static type shows it already, or if
// nothing is known. But for an unsafe.Pointer of which nothing is known, it
// returns Unknown in parentheses.
func (r *reference) dynamicType(static reflect.Type, pkg pkgPath) string {
	if static == nil {
		return ""
	}
	switch static.Kind() {
	case reflect.Interface:
		if r.node.Role == profilerecord.RefsClosure {
			return "(" + r.closureType() + ")"
		}
		if dyn := r.TypeAt(r.node.Dyn); dyn != nil {
			return "(" + pkg.typeName(dyn) + ")"
		}
	case reflect.Func:
		if r.node.Role == profilerecord.RefsClosure {
			return "(" + r.functionName(r.node.PC) + ")"
		}
	case reflect.UnsafePointer:
		return "(" + r.pointerType(pkg) + ")"
	}
	return ""
}

// pointerType returns the type of a reference for which only the objects are
// known.
func (r *reference) pointerType(pkg pkgPath) string {
	t := r.TypeAt(r.node.Type)
	switch {
	case r.node.Role == profilerecord.RefsClosure:
		return r.closureType()
	case t == nil:
		return Unknown
	case r.node.Role == profilerecord.RefsObject:
		return "*" + pkg.typeName(t)
	}
	return pkg.typeName(t)
}

// isShape reports whether t is a type that generic code uses in place of
// several types: all pointers have one.
func isShape(t reflect.Type) bool { return strings.HasPrefix(t.String(), "go.shape.") }

func (r *reference) closureType() string {
	return "func(" + r.functionName(r.node.PC) + ")"
}

// objectType returns the type of the node's objects. If a slice refers to the
// objects, or pointers to elements of arrays, the type is []T, where T is the
// type of the elements. If a
// string refers to them, the type is string. A node with role RefsVariable has
// no objects, and the type "".
func (r *reference) objectType(static reflect.Type, to target) string {
	t := r.TypeAt(r.node.Type)
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
		return Unknown
	}
	if r.node.Array {
		return "[]" + t.String()
	}
	return t.String()
}

// leadsTo returns the target of the reference. static is the reference's type,
// or nil if that is not known.
func (r *reference) leadsTo(static reflect.Type) target {
	if static != nil && static.Kind() == reflect.Interface {
		static = r.TypeAt(r.node.Dyn)
		if static != nil && static.Kind() != reflect.Pointer {
			return target{elem: static} // the interface has the value, or refers to a copy of it
		}
	}
	switch {
	case r.node.Kind == profilerecord.RefsArgument:
		return target{elem: r.TypeAt(r.node.Type)}
	case static == nil:
	case static.Kind() == reflect.Pointer:
		return target{elem: static.Elem()}
	case static.Kind() == reflect.Slice:
		return target{elem: static.Elem(), slice: ownerName(static)}
	}
	return target{}
}

// inArray returns to or, if it is an element of the node's arrays, a target as
// for a slice of the array.
func (r *reference) inArray(to target) target {
	if r.node.Array && to.elem != nil && to.slice == "" {
		to.slice = "[]" + to.elem.String()
	}
	return to
}

// A target describes, by the type of a reference, the objects to which the
// reference leads.
type target struct {
	elem  reflect.Type // type of the object or, if the reference is a slice, of the slice's elements; nil if unknown
	slice string       // if the reference is a slice or a pointer to an element of an array, the slice's type as ownerName writes it; else ""
}

// isOf reports whether objects of type t fit the target. An array counts as
// objects of the type of its elements.
func (to target) isOf(t reflect.Type) bool {
	return to.elem != nil && t != nil && elemOfArray(to.elem) == elemOfArray(t)
}
