// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Tells the paths of a value whose objects are each held by one reference, from
// the rules of the documentation, by a walk over the value with reflect.

package main

import (
	"path"
	"reflect"
	"regexp"
)

// A place is an element of a path, with the type of the objects that it reaches.
type place struct {
	up    *place // nil for the root, whose type does not count for folding
	path  string
	kind  kind
	inner word // of all objects there, also of those that were folded
}

// A kind is what folding goes by. The header of a map is of another kind than an
// object that has a map, or many, for its value.
type kind struct {
	typ    reflect.Type
	header bool // of a map or channel of the type
}

func valueOf(t reflect.Type) kind  { return kind{typ: elementType(t)} }
func headerOf(t reflect.Type) kind { return kind{t, true} }

// A walker collects what is at each path. Objects of a size that is the
// runtime's business have size -1.
type walker struct {
	objects map[string]int64
	bytes   map[string]int64
}

// A word is how the word at hand is called: by the fields that lead to it from a
// struct type, or as the element of a container.
type word struct {
	owner   string
	fields  string
	element string
	named   bool // owner is a named type
	pkg     string
}

// walk returns what is expected below a variable.
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

// typeName is how a type is called as an owner.
func typeName(t reflect.Type) string {
	if t.PkgPath() != "" {
		return t.PkgPath() + "." + t.Name()
	}
	return t.String()
}

// words visits all references in a value.
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

// name returns what a reference of a type is called.
func (n word) name(t reflect.Type, dynamic string) string {
	if n.fields == "" {
		return n.element + dynamic
	}
	return n.owner + n.fields + " " + unqualified(t.String()+dynamic, n.pkg)
}

// unqualified takes the name of the package at a path off all types in a text.
func unqualified(text, pkg string) string {
	if pkg == "" {
		return text
	}
	return regexp.MustCompile(`\b`+regexp.QuoteMeta(path.Base(pkg))+`\.`).ReplaceAllString(text, "")
}

// refer visits what a reference found at a place leads to.
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

// An opener counts an object of a kind, which the reference must tell if it is an
// interface, and returns its place. The word is for what the object holds.
type opener func(dynamic string, k kind, bytes int64, inner word) *place

// follow visits the object that v refers to, and what that holds.
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

// elementOf is the word that an element is which a pointer or slice refers to. If
// that is an array, it is an element of the array.
func elementOf(t reflect.Type) word {
	if t.Elem().Kind() == reflect.Array {
		t = t.Elem()
	}
	return word{element: typeName(t) + "[elem]"}
}

// elementType returns the type of an array's elements, however deep.
func elementType(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Array {
		t = t.Elem()
	}
	return t
}

// entries visits what a map holds.
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

// entry visits a key or a value of a map. Large ones are objects of their own.
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

// queue visits what a channel holds, by taking all out and putting it back.
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
