// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file names variables of functions: locals, arguments and results in a
// frame, and variables that a closure has captured. Their owner is the
// function. For pointers and slices, the entries that the compiler writes
// (internal/vartable) have the type of the pointer's target or of the slice's
// elements, because the program has the descriptor of that type if it makes
// such an object.

package refpath

import (
	"cmp"
	"internal/profilerecord"
	"internal/vartable"
	"reflect"
	"strconv"
)

// These stand for the names of variables that the compiler has made.
const (
	temporary = "(temporary)"
	closure   = "(closure)"
)

// A funcVariable is a reference that is a function's variable.
type funcVariable struct{ *reference }

// describe names the variable. One of an inlined function that has returned has
// no name: what it refers to is now a value of the function that has the frame.
func (v funcVariable) describe() Name {
	inlined := v.inlined()
	name := cmp.Or(inlined, v.function()) + v.ownName(inlined != "" || v.node.InlineDepth == 0)
	typ, static, to := v.entryType(ownerPackage(name))
	to = v.inArray(to)
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

// ownName returns the name of the variable without that of its function. named
// is set if the name, if there is one, is that of a variable of this function.
func (v funcVariable) ownName(named bool) string {
	name := v.node.Name
	switch {
	case !named:
		name = ""
	case name == vartable.Receiver:
		return "(receiver)"
	}
	if v.node.Role == profilerecord.RefsClosure {
		return cmp.Or(name, closure)
	}
	return cmp.Or(name, temporary)
}

// inlined returns the name of the function to which the variable belongs, and a
// dot. It returns "" unless that function is inlined in the function that has
// the frame, and the frame's PC is in the inlined call.
func (v funcVariable) inlined() string {
	if v.node.InlineDepth == 0 || v.parent.Kind != profilerecord.RefsFrame {
		return ""
	}
	functions := v.FunctionsAt(v.parent.PC)
	i := int(v.node.InlineDepth)
	if i >= len(functions) {
		return ""
	}
	if vartable.FunctionHash(functions[i]) != v.node.InlineHash {
		return ""
	}
	return functions[i] + "."
}

// entryType returns the type of the variable or, if the variable is a local
// array, of an element. static, which objectType needs, is string for strings,
// any for all interfaces, and nil for other types.
func (v funcVariable) entryType(pkg pkgPath) (typ string, static reflect.Type, to target) {
	t := v.TypeAt(v.node.Static)
	switch v.node.Form {
	case vartable.FormString, vartable.FormStringData:
		return "string", reflect.TypeFor[string](), to
	case vartable.FormFunc, vartable.FormClosure:
		if v.node.Role == profilerecord.RefsClosure {
			return v.closureType(), nil, to
		}
	case vartable.FormEface, vartable.FormEfaceData, vartable.FormIface, vartable.FormIfaceData:
		static = reflect.TypeFor[any]()
		typ = "interface"
		if t != nil {
			typ = pkg.typeName(t)
		} else if v.node.Form == vartable.FormEface || v.node.Form == vartable.FormEfaceData {
			typ = pkg.typeName(static)
		}
		return typ + v.dynamicType(static, pkg), static, v.leadsTo(static)
	}
	if t == nil || v.node.Form == vartable.FormUnsafe {
		return v.pointerType(pkg), nil, to
	}
	switch v.node.Form {
	case vartable.FormPointer:
		return "*" + pkg.typeName(t), nil, target{elem: t}
	case vartable.FormSlice, vartable.FormSliceData:
		return "[]" + pkg.typeName(t), nil, target{elem: t, slice: "[]" + t.String()}
	}
	return pkg.typeName(t), nil, to
}
