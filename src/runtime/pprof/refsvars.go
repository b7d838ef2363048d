// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Names of variables of functions: locals, arguments and results of a frame, and
// what a closure has captured. Their owner is the function; refsnames.go calls
// variable. The entries that the compiler writes for them (internal/abi/framevars.go)
// tell pointers and slices by the type that they lead to, whose descriptor is in
// the program if there is such an object.

package pprof

import (
	"cmp"
	"internal/abi"
	"internal/profilerecord"
	"reflect"
	"strconv"
)

const refsTemporary = "(temporary)"

// isVariable reports whether the reference is a function's variable.
func (r refsReference) isVariable() bool {
	return r.node.Kind == profilerecord.RefsLocal || r.node.Kind == profilerecord.RefsCaptured && r.node.Form != 0
}

// variable names a reference that is a function's variable.
func (n *refsNamer) variable(r refsReference) refsName {
	name := cmp.Or(r.node.Name, refsTemporary)
	if name == abi.FrameVarReceiver {
		name = "(receiver)"
	}
	name = cmp.Or(r.inlined(), n.function(r)) + name
	typ, static, target := r.variableType(ownerPackage(name))
	if r.node.Count != 0 {
		typ = "[" + strconv.FormatUint(uint64(r.node.Count), 10) + "]" + typ
	}
	return refsName{
		elem:     refsElem{name: name + " " + typ},
		variable: name,
		target:   target,
		objects:  r.objectType(static, target),
	}
}

// inlined returns the name of the function whose variable it is and a dot, if that is
// inlined in the function whose frame it is, and the frame's PC in it.
func (r refsReference) inlined() string {
	if r.node.InlineDepth == 0 || r.parent.Kind != profilerecord.RefsFrame {
		return ""
	}
	frames := framesAt(r.parent.PC)
	i := int(r.node.InlineDepth)
	if i >= len(frames) {
		return ""
	}
	function := runtime_FrameSymbolName(&frames[i])
	if abi.FrameVarHash(function) != r.node.InlineHash {
		return ""
	}
	return function + "."
}

// variableType writes the type of a variable, or of the elements of one that is an
// array. static is the type itself if it is known
// and tells of the objects what target does not.
func (r refsReference) variableType(pkg refsPackage) (typ string, static reflect.Type, target refsTarget) {
	t := typeAt(r.node.Static)
	switch r.node.Form {
	case abi.FrameVarString, abi.FrameVarStringData:
		return "string", reflect.TypeFor[string](), target
	case abi.FrameVarFunc, abi.FrameVarClosure:
		if r.node.Role == profilerecord.RefsClosure {
			return r.closureType(), nil, target
		}
	case abi.FrameVarEface, abi.FrameVarEfaceData, abi.FrameVarIface, abi.FrameVarIfaceData:
		static = reflect.TypeFor[any]()
		typ = "interface"
		if t != nil {
			typ = pkg.typeName(t)
		} else if r.node.Form == abi.FrameVarEface || r.node.Form == abi.FrameVarEfaceData {
			typ = pkg.typeName(static)
		}
		return typ + r.dynamicType(static, pkg), static, r.leadsTo(static)
	}
	if t == nil || r.node.Form == abi.FrameVarUnsafe {
		return r.pointerType(pkg), nil, target
	}
	switch r.node.Form {
	case abi.FrameVarPointer:
		return "*" + pkg.typeName(t), nil, refsTarget{elem: t}
	case abi.FrameVarSlice, abi.FrameVarSliceData:
		return "[]" + pkg.typeName(t), nil, refsTarget{elem: t, slice: "[]" + t.String()}
	}
	return pkg.typeName(t), nil, target
}
