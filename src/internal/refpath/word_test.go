// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package refpath

import (
	"reflect"
	"testing"
	"time"
)

// TestWords compares findWord, for every word of a type, with a walk that lists
// all fields of the type from the outside in.
func TestWords(t *testing.T) {
	for _, typ := range []reflect.Type{
		reflect.TypeFor[testServer](), reflect.TypeFor[testJob](), reflect.TypeFor[[2]testServer](),
		reflect.TypeFor[testing.T](), reflect.TypeFor[time.Timer](), reflect.TypeFor[[]int](), reflect.TypeFor[[3][2]string](),
	} {
		want := make(map[uintptr]string)
		listWords(typ, 0, "", want)
		for offset := range typ.Size() {
			at := findWord(typ, offset, "", "elem")
			name := at.name
			if at.leaf != nil {
				name += " " + at.leaf.String()
			}
			if w, ok := want[offset]; ok && name != w {
				t.Errorf("%v at %d: %s, want %s", typ, offset, name, w)
			} else if !ok && at.leaf != nil {
				t.Errorf("%v at %d: %s, want nothing", typ, offset, name)
			}
		}
	}
}

// listWords lists all bytes of a value of type t at offset by the names of the
// words that contain them. prefix is the owner and the fields above.
func listWords(t reflect.Type, offset uintptr, prefix string, words map[uintptr]string) {
	leaf := atomicReference(t)
	switch {
	case leaf != nil:
	case t.Kind() == reflect.Array:
		for i := range t.Len() {
			listWords(t.Elem(), offset+uintptr(i)*t.Elem().Size(), prefix, words)
		}
		return
	case t.Kind() == reflect.Struct:
		if prefix == "" {
			prefix = t.PkgPath() + "." + t.Name()
		}
		for i := range t.NumField() {
			f := t.Field(i)
			listWords(f.Type, offset+f.Offset, prefix+"."+f.Name, words)
		}
		return
	default:
		leaf = t
	}
	if prefix == "" {
		prefix = "elem"
	}
	for i := range t.Size() {
		words[offset+i] = prefix + " " + leaf.String()
	}
}
