// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// A walk over a value with reflect, which predicts the paths of the value's
// objects by the rules of the documentation. Each object must be held by one
// reference.

package main

import (
	"path"
	"reflect"
	"regexp"
)

// A place is a path, with the type of the objects at it.
type place struct {
	up    *place // nil for the root, whose type is not compared for folding
	path  string
	kind  kind
	inner word // name of the words of all objects at the place, including those that were folded
}

// An object folds to a place above it that has the same kind. The header of a
// map of type T, and an object that has values of type T, have different kinds.
type kind struct {
	typ    reflect.Type
	header bool // of a map or channel of the type
}

func valueOf(t reflect.Type) kind  { return kind{typ: elementType(t)} }
func headerOf(t reflect.Type) kind { return kind{t, true} }

// A walker collects the numbers and the bytes of the objects at each path. The
// bytes are -1 if the runtime determines the size of an object at the path. For
// the storage of a map, the number is -1 as well.
type walker struct {
	objects map[string]int64
	bytes   map[string]int64
}

// A word is the name of the current word: the fields that lead to it from a
// struct type, or the element of a container that it is in.
type word struct {
	owner   string
	fields  string
	element string
	named   bool // owner is a named type
	pkg     string
}

// walk returns the refs that are expected at a variable and below it.
func walk(name string, v reflect.Value) (refs []ref) {
	w := &walker{map[string]int64{}, map[string]int64{}}
	root := &place{path: name}
	if v.Kind() == reflect.Struct {
		w.words(v, root, word{})
	} else {
		w.follow(v, func(_ string, _ kind, bytes int64, inner word) *place {
			root.inner = inner
			w.count(root, bytes)
			return root
		})
	}
	for path, n := range w.objects {
		refs = append(refs, ref{[]string{path}, total{n, w.bytes[path]}})
	}
	return refs
}

// typeName returns the name of a type as an owner.
func typeName(t reflect.Type) string {
	if t.PkgPath() != "" {
		return t.PkgPath() + "." + t.Name()
	}
	return t.String()
}

// words visits all references in v, which is part of an object at a place and
// has the name n.
func (w *walker) words(v reflect.Value, at *place, n word) {
	switch t := v.Type(); t.Kind() {
	case reflect.Struct:
		if !n.named && t.Name() != "" {
			n = word{typeName(t), "", n.element, true, t.PkgPath()}
		} else if n.owner == "" {
			n.owner = t.String()
		}
		for i := range t.NumField() {
			f := n
			f.fields += "." + t.Field(i).Name
			w.words(v.Field(i), at, f)
		}
	case reflect.Array:
		for i := range t.Len() {
			w.words(v.Index(i), at, n)
		}
	case reflect.String:
		if v.Len() > 0 {
			w.refer(v, at, n)
		}
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Chan, reflect.Interface:
		if !v.IsNil() {
			w.refer(v, at, n)
		}
	}
}

// name returns the name of a reference of type t. dynamic is its dynamic type,
// in parentheses, if it is an interface.
func (n word) name(t reflect.Type, dynamic string) string {
	if n.fields == "" {
		return n.element + dynamic
	}
	return n.owner + n.fields + " " + unqualified(t.String()+dynamic, n.pkg)
}

// unqualified removes the name of the package with the path pkg from all types
// in a text.
func unqualified(text, pkg string) string {
	if pkg == "" {
		return text
	}
	return regexp.MustCompile(`\b`+regexp.QuoteMeta(path.Base(pkg))+`\.`).ReplaceAllString(text, "")
}

// refer counts the object to which v, a reference in an object at a place,
// refers, and visits what that object refers to.
func (w *walker) refer(v reflect.Value, at *place, n word) {
	w.follow(v, func(dynamic string, k kind, bytes int64, inner word) *place {
		place := at.enter(n.name(v.Type(), dynamic), k, inner)
		w.count(place, bytes)
		return place
	})
}

func (w *walker) count(at *place, bytes int64) {
	w.objects[at.path]++
	if bytes < 0 {
		w.bytes[at.path] = -1
	} else {
		w.bytes[at.path] += bytes
	}
}

// An opener counts an object and returns its place. dynamic is the dynamic type
// if the reference is an interface, and inner is the name of the words of the
// object.
type opener func(dynamic string, k kind, bytes int64, inner word) *place

// follow calls open for the object to which v refers, and visits what that
// object refers to.
func (w *walker) follow(v reflect.Value, open opener) {
	switch t := v.Type(); t.Kind() {
	case reflect.String:
		open("", valueOf(reflect.TypeFor[byte]()), noscan(uintptr(v.Len())), word{})
	case reflect.Pointer:
		at := open("", valueOf(t.Elem()), typeSize(t.Elem(), 1), elementOf(t))
		w.words(v.Elem(), at, at.inner)
	case reflect.Slice:
		at := open("", valueOf(t.Elem()), typeSize(t.Elem(), v.Cap()), elementOf(t))
		if t.Elem().Kind() == reflect.Uint8 {
			return
		}
		for i := range v.Len() {
			w.words(v.Index(i), at, at.inner)
		}
	case reflect.Map:
		w.entries(v, open("", headerOf(t), -1, word{}))
	case reflect.Chan:
		w.queue(v, open("", headerOf(t), -1, word{}))
	case reflect.Interface:
		e := v.Elem()
		dynamic := "(" + e.Type().String() + ")"
		if !isDirect(e.Type()) {
			at := open(dynamic, valueOf(e.Type()), typeSize(e.Type(), 1), elementOf(reflect.PointerTo(e.Type())))
			w.words(e, at, at.inner)
			return
		}
		told := func(_ string, k kind, bytes int64, inner word) *place {
			return open(dynamic, k, bytes, inner)
		}
		for e.Kind() == reflect.Struct || e.Kind() == reflect.Array {
			if e.Kind() == reflect.Struct {
				e = e.Field(0)
			} else {
				e = e.Index(0)
			}
		}
		if e.IsNil() {
			return
		}
		w.follow(e, told)
	}
}

// elementOf returns the name of the words of an object to which a pointer or a
// slice of type t refers. If the pointer or slice has arrays as elements, it is
// the name of an element of the array.
func elementOf(t reflect.Type) word {
	if t.Elem().Kind() == reflect.Array {
		t = t.Elem()
	}
	return word{element: typeName(t) + "[elem]"}
}

// elementType returns t or, if t is an array type, the type of its innermost
// elements.
func elementType(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Array {
		t = t.Elem()
	}
	return t
}

// entries visits the table and the entries of a map.
func (w *walker) entries(v reflect.Value, at *place) {
	t := v.Type()
	if v.Len() > 0 {
		table := at.path + between + typeName(t) + "[table]"
		w.objects[table], w.bytes[table] = -1, -1
	}
	for it := v.MapRange(); it.Next(); {
		w.entry(it.Key(), at, typeName(t)+"[key]")
		w.entry(it.Value(), at, typeName(t)+"[value]")
	}
}

// entry visits a key or a value of a map. A large one is an object of its own.
func (w *walker) entry(v reflect.Value, at *place, element string) {
	const largest = 128
	t := v.Type()
	if t.Size() <= largest {
		w.words(v, at, word{element: element})
		return
	}
	place := at.enter(element, valueOf(t), elementOf(reflect.PointerTo(t)))
	w.count(place, typeSize(t, 1))
	w.words(v, place, place.inner)
}

// queue visits the buffer of a channel, and each element, which it receives and
// sends again.
func (w *walker) queue(v reflect.Value, at *place) {
	t := v.Type()
	buffer := at.enter(typeName(t)+"[buffer]", kind{}, word{})
	w.count(buffer, typeSize(t.Elem(), v.Cap()))
	for range v.Len() {
		e, _ := v.Recv()
		w.words(e, at, word{element: typeName(t) + "[elem]"})
		v.Send(e)
	}
}

func (at *place) enter(name string, k kind, inner word) *place {
	for p := at; p.up != nil; p = p.up {
		if p.kind == k {
			return p
		}
	}
	return &place{at, at.path + between + name, k, inner}
}

func isDirect(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return true
	case reflect.Array:
		return t.Len() == 1 && isDirect(t.Elem())
	case reflect.Struct:
		return t.NumField() == 1 && isDirect(t.Field(0).Type)
	}
	return false
}
