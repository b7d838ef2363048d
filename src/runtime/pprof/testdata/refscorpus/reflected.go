// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Shapes that package reflect makes. Some have types that it makes.

package main

import "reflect"

var (
	reflected  *[48]byte
	madeStruct any
	madeSlice  any
	madeMap    any
	madeFunc   func(int) int
	value      reflect.Value
)

func newMade() reflect.Value {
	v := reflect.New(made())
	v.Elem().Field(0).Set(reflect.ValueOf(new(payload)))
	v.Elem().Field(1).SetBytes(make([]byte, 100))
	return v
}

// made is a type that reflect makes while the program runs.
func made() reflect.Type {
	return reflect.StructOf([]reflect.StructField{
		{Name: "Made", Type: reflect.TypeFor[*payload]()},
		{Name: "Data", Type: reflect.TypeFor[[]byte]()},
	})
}

var reflectedShapes = []shape{
	{
		name:  "reflect.New",
		roots: []variable{global("main.reflected", &reflected)},
		build: func() { reflected = reflect.New(reflect.TypeFor[[48]byte]()).Interface().(*[48]byte) },
		want:  func() []ref { return []ref{at(1, noscan(48), "main.reflected")} },
	},
	{
		name:  "reflect.StructOf",
		roots: []variable{global("main.madeStruct", &madeStruct)},
		build: func() { madeStruct = newMade().Interface() },
		want: func() []ref {
			return []ref{
				either(1, typeSize(made(), 1), "main.madeStruct"),
				at(1, of[payload](), "main.madeStruct", made().String()+".Made *main.payload"),
				at(1, noscan(100), "main.madeStruct", made().String()+".Data []uint8"),
			}
		},
	},
	{
		name:  "reflect.SliceOf",
		roots: []variable{global("main.madeSlice", &madeSlice)},
		build: func() {
			s := reflect.MakeSlice(reflect.SliceOf(made()), 0, 10)
			for range 10 {
				s = reflect.Append(s, newMade().Elem())
			}
			madeSlice = s.Interface()
		},
		want: func() []ref {
			array := "*[]" + made().String() + "[elem]"
			return []ref{
				at(1, of[[]byte](), "main.madeSlice"),
				at(1, typeSize(made(), 10), "main.madeSlice", array),
				at(10, of[payload](), "main.madeSlice", array, made().String()+".Made *main.payload"),
				at(10, noscan(100), "main.madeSlice", array, made().String()+".Data []uint8"),
			}
		},
	},
	{
		name:  "reflect.MapOf",
		roots: []variable{global("main.madeMap", &madeMap)},
		build: func() {
			m := reflect.MakeMap(reflect.MapOf(reflect.TypeFor[int](), reflect.PointerTo(made())))
			for i := range 20 {
				m.SetMapIndex(reflect.ValueOf(i), newMade())
			}
			madeMap = m.Interface()
		},
		want: func() []ref {
			typ := "map[int]*" + made().String()
			return []ref{
				count(1, "main.madeMap"),
				some("main.madeMap", typ+"[table]"),
				at(20, typeSize(made(), 1), "main.madeMap", typ+"[value]"),
				at(20, of[payload](), "main.madeMap", typ+"[value]", made().String()+".Made *main.payload"),
				at(20, noscan(100), "main.madeMap", typ+"[value]", made().String()+".Data []uint8"),
			}
		},
	},
	{
		name:  "reflect.MakeFunc",
		roots: []variable{global("main.madeFunc", &madeFunc)},
		loose: true,
		build: func() {
			p := new(payload)
			f := func(in []reflect.Value) []reflect.Value { p[0]++; return in }
			madeFunc = reflect.MakeFunc(reflect.TypeFor[func(int) int](), f).Interface().(func(int) int)
		},
		want: func() []ref { return []ref{count(1, "main.madeFunc")} },
	},
	{
		name:  "reflect.Value",
		roots: []variable{global("main.value", &value)},
		build: func() { value = reflect.ValueOf(&headed{p: new(payload)}) },
		want: func() []ref {
			return []ref{
				at(1, of[headed](), "main.value", "reflect.Value.ptr *main.headed"),
				at(1, of[payload](), "main.value", "reflect.Value.ptr *main.headed", "main.headed.p *payload"),
			}
		},
	},
}
