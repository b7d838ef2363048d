// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Where in a type a reference is: findRefsWord walks a type down to the word at
// an offset. refsnames.go calls it for references in objects and variables.

package pprof

import (
	"reflect"
	"strings"
)

// A refsTypeWord is a word that holds a reference.
type refsTypeWord struct {
	name   string       // of the word: owner and fields, or that of the container's element
	isElem bool         // the whole element is the reference, and name tells its type
	leaf   reflect.Type // type of the reference, nil if there is none at that offset
}

// findRefsWord finds the word at offset in a value of type t, which is an array
// or one element of it. The name is
//
//	owner.field...  for a field. The owner is the outermost named struct type; or,
//	                if the value itself is an unnamed struct, variable, unless that is ""
//	variable        if there is no field, and variable is not "" and t no array
//	elem            if there is no field otherwise
func findRefsWord(t reflect.Type, offset uintptr, variable, elem string) refsTypeWord {
	owner, fields, leaf := "", "", t
	isFinal := false // owner is not that of an unnamed type
	isArray := t.Kind() == reflect.Array
	for {
		if pointer := atomicReference(leaf); pointer != nil {
			leaf = pointer
			break
		}
		if leaf.Kind() == reflect.Array {
			leaf = leaf.Elem()
			continue
		}
		if size := leaf.Size(); size != 0 {
			offset %= size
		}
		if leaf.Kind() != reflect.Struct {
			break
		}
		switch {
		case isFinal:
		case owner == "" && leaf.Name() == "" && variable != "":
			owner, isFinal = variable, true
		case leaf.Name() != "":
			owner, fields, isFinal = refsTypeName(leaf), "", true
		case owner == "":
			owner = leaf.String()
		}
		f, ok := fieldAt(leaf, offset)
		if !ok {
			return refsTypeWord{name: owner + fields}
		}
		fields += "." + f.Name
		offset -= f.Offset
		leaf = f.Type
	}
	switch {
	case fields != "":
		return refsTypeWord{name: owner + fields, leaf: leaf}
	case variable != "" && !isArray:
		return refsTypeWord{name: variable, leaf: leaf}
	}
	return refsTypeWord{name: elem, isElem: true, leaf: leaf}
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

// atomicReference returns what the only word, or words, of one of sync/atomic's
// types refer to as: a *T for a Pointer[T], an interface for a Value.
func atomicReference(t reflect.Type) reflect.Type {
	if t.Kind() != reflect.Struct || t.PkgPath() != "sync/atomic" || t.NumField() == 0 {
		return nil
	}
	name := t.Name()
	if f := t.Field(0).Type; strings.HasPrefix(name, "Pointer[") && f.Kind() == reflect.Array {
		return f.Elem() // atomic.Pointer[T] begins with a [0]*T
	} else if name == "Value" {
		return f
	}
	return nil
}

// refsTypeName writes t as an owner: with the full package path if it has a name.
func refsTypeName(t reflect.Type) string {
	if t.PkgPath() == "" {
		return t.String()
	}
	return t.PkgPath() + "." + t.Name()
}
