// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file finds the place of a reference in a type: findWord walks down from
// a type to the word at an offset. reference.go calls it for references in
// objects and variables.

package refpath

import (
	"reflect"
	"strings"
)

// A typeWord is a word that holds a reference.
type typeWord struct {
	name       string       // name of the word: owner and fields, or the name of the variable or of the container's element
	pkg        pkgPath      // package of the owner, if there is one
	isElem     bool         // the reference is the whole element, and name has its type
	isVariable bool         // the reference is the whole variable, and name is the variable's
	leaf       reflect.Type // type of the reference; nil if it has none or was not found
	pointee    reflect.Type // type of the object, or nil; only set if leaf is nil
}

// findWord finds the word at offset in a value of type t, or in an array of
// such values. The name is
//
//	owner.field...  for a field. If the value itself is an unnamed struct and
//	                variable is not "", the owner is the variable. In all other
//	                cases it is the outermost named struct type or, if there is
//	                none, the unnamed one
//	variable        if there is no field, variable is not "", and t is not an array
//	elem            in all other cases
func findWord(t reflect.Type, offset uintptr, variable, elem string) typeWord {
	owner, fields, leaf := "", "", t
	pkg := pkgPath("")
	isFinal := false // owner is a named type or the variable
	for {
		leaf = elemOfArray(leaf)
		if size := leaf.Size(); size != 0 {
			offset %= size
		}
		if pointer := atomicReference(leaf); pointer != nil {
			leaf = pointer
			break
		}
		if leaf.Kind() != reflect.Struct {
			break
		}
		switch {
		case isFinal:
		case owner == "" && leaf.Name() == "" && variable != "":
			owner, pkg, isFinal = variable, ownerPackage(variable), true
		case leaf.Name() != "":
			owner, pkg, fields, isFinal = ownerName(leaf), pkgPath(leaf.PkgPath()), "", true
		case owner == "":
			owner = leaf.String()
		}
		f, ok := fieldAt(leaf, offset)
		if !ok {
			return typeWord{name: owner + fields}
		}
		fields += "." + f.Name
		offset -= f.Offset
		leaf = f.Type
	}
	switch {
	case fields != "":
		return typeWord{name: owner + fields, pkg: pkg, leaf: leaf}
	case variable != "" && t.Kind() != reflect.Array:
		return typeWord{name: variable, pkg: ownerPackage(variable), isVariable: true, leaf: leaf}
	}
	return typeWord{name: elem, isElem: true, leaf: leaf}
}

// findMapWord finds the word at offset in a key or element of type t of a map.
// If the size of t is greater than the parameter most, in bytes, the map holds
// a pointer to the key or element.
func findMapWord(t reflect.Type, most, offset uintptr, elem string) typeWord {
	if t.Size() > most {
		return typeWord{name: elem, isElem: true, pointee: t}
	}
	return findWord(t, offset, "", elem)
}

// elemOfArray returns the type of an array's elements. If they are arrays, it
// returns the type of their elements. It returns other types unchanged.
func elemOfArray(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Array {
		t = t.Elem()
	}
	return t
}

// isOwner reports whether t, or the type of its elements, is the owner of the
// references in a variable of type t. If not, the variable is the owner: see
// findWord.
func isOwner(t reflect.Type) bool {
	if t == nil {
		return false
	}
	t = elemOfArray(t)
	return t.Kind() == reflect.Struct && t.Name() != "" && atomicReference(t) == nil
}

// fieldAt returns the field of a struct that holds the word at offset.
func fieldAt(t reflect.Type, offset uintptr) (f reflect.StructField, ok bool) {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Offset <= offset && offset < f.Offset+f.Type.Size() {
			return f, true
		}
	}
	return f, false
}

// atomicReference returns the type of the only reference in a value of t, if t
// is one of certain types of packages sync and sync/atomic: *T for a
// Pointer[T], and an interface for a Value and for an element of the queues of
// a sync.Pool. It returns nil for other types.
func atomicReference(t reflect.Type) reflect.Type {
	if t.Kind() != reflect.Struct || t.NumField() == 0 {
		return nil
	}
	first := t.Field(0).Type
	switch path, name := t.PkgPath(), t.Name(); {
	case path == "sync/atomic" && name == "Value":
		return first
	case path == "sync/atomic" && strings.HasPrefix(name, "Pointer["), path == "sync" && name == "eface":
		if first.Kind() == reflect.Array && first.Len() == 0 {
			return first.Elem() // the field is a [0]*T or a [0]any
		}
	}
	return nil
}

// ownerName returns t as an owner, with the full package path if t has a name.
func ownerName(t reflect.Type) string {
	if t.PkgPath() == "" {
		return t.String()
	}
	if s := t.String(); strings.HasPrefix(s, "go.shape.") { // the name of a shape has its whole type, such as go.shape.[]*main.T
		return s
	}
	return t.PkgPath() + "." + t.Name()
}
