// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Names of variables of functions: locals, arguments and results of a frame, and
// what a closure has captured. Their owner is the function. The entries that the
// compiler writes for them (internal/abi/framevars.go) have for pointers and slices
// the type that they lead to, whose descriptor is in the program if there is such an
// object.

package refpath

import (
	"cmp"
	"internal/abi"
	"internal/profilerecord"
	"reflect"
	"strconv"
)

const temporary = "(temporary)"

// A funcVariable is a reference that is a function's variable.
type funcVariable struct{ *reference }

// describe names the variable.
func (v funcVariable) describe() Name {
	name := cmp.Or(v.node.Name, temporary)
	if name == abi.FrameVarReceiver {
		name = "(receiver)"
	}
	name = cmp.Or(v.inlined(), v.function()) + name
	typ, static, to := v.entryType(ownerPackage(name))
	if v.node.Count != 0 {
		typ = "[" + strconv.FormatUint(uint64(v.node.Count), 10) + "]" + typ
	}
	return Name{
		Elem:     Elem{Name: name + " " + typ},
		Objects:  v.objectType(static, to),
		variable: name,
		target:   to,
	}
}

// inlined returns the name of the function whose variable it is and a dot, if that is
// inlined in the function whose frame it is, and the frame's PC in it.
func (v funcVariable) inlined() string {
	if v.node.InlineDepth == 0 || v.parent.Kind != profilerecord.RefsFrame {
		return ""
	}
	frames := framesAt(v.parent.PC)
	i := int(v.node.InlineDepth)
	if i >= len(frames) {
		return ""
	}
	function := runtime_FrameSymbolName(&frames[i])
	if abi.FrameVarHash(function) != v.node.InlineHash {
		return ""
	}
	return function + "."
}

// entryType writes the type of the variable, or of the elements of one that is an
// array. static is the type itself if it is known and says of the objects what to
// does not.
func (v funcVariable) entryType(pkg pkgPath) (typ string, static reflect.Type, to target) {
	t := typeAt(v.node.Static)
	switch v.node.Form {
	case abi.FrameVarString, abi.FrameVarStringData:
		return "string", reflect.TypeFor[string](), to
	case abi.FrameVarFunc, abi.FrameVarClosure:
		if v.node.Role == profilerecord.RefsClosure {
			return v.closureType(), nil, to
		}
	case abi.FrameVarEface, abi.FrameVarEfaceData, abi.FrameVarIface, abi.FrameVarIfaceData:
		static = reflect.TypeFor[any]()
		typ = "interface"
		if t != nil {
			typ = pkg.typeName(t)
		} else if v.node.Form == abi.FrameVarEface || v.node.Form == abi.FrameVarEfaceData {
			typ = pkg.typeName(static)
		}
		return typ + v.dynamicType(static, pkg), static, v.leadsTo(static)
	}
	if t == nil || v.node.Form == abi.FrameVarUnsafe {
		return v.pointerType(pkg), nil, to
	}
	switch v.node.Form {
	case abi.FrameVarPointer:
		return "*" + pkg.typeName(t), nil, target{elem: t}
	case abi.FrameVarSlice, abi.FrameVarSliceData:
		return "[]" + pkg.typeName(t), nil, target{elem: t, slice: "[]" + t.String()}
	}
	return pkg.typeName(t), nil, to
}
