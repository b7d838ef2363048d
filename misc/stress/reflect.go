// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This worker makes values of types that package reflect makes: structs,
// arrays, slices, maps, channels and funcs. It makes only a few hundred types,
// because types are never freed.

package main

import (
	"fmt"
	"math/rand/v2"
	"reflect"
)

func makeTypes(r *rand.Rand) func() {
	nodes := reflect.TypeFor[*node]()
	kept := make([]reflect.Value, 100)
	return func() {
		for range 10 {
			n := newNode(r)
			var v reflect.Value
			k := r.IntN(40)
			switch r.IntN(6) {
			case 0:
				v = reflect.New(reflect.ArrayOf(1+k, nodes)).Elem()
				v.Index(k).Set(reflect.ValueOf(n))
			case 1:
				fields := []reflect.StructField{
					{Name: "A", Type: reflect.TypeFor[int]()},
					{Name: fmt.Sprint("Node", k), Type: nodes},
					{Name: "B", Type: reflect.TypeFor[any]()},
				}
				v = reflect.New(reflect.StructOf(fields)).Elem()
				v.Field(1).Set(reflect.ValueOf(n))
				v.Field(2).Set(reflect.ValueOf(n))
			case 2:
				v = reflect.MakeMap(reflect.MapOf(reflect.ArrayOf(1+k, reflect.TypeFor[byte]()), nodes))
				v.SetMapIndex(reflect.Zero(v.Type().Key()), reflect.ValueOf(n))
			case 3:
				v = reflect.MakeSlice(reflect.SliceOf(reflect.ArrayOf(1+k, nodes)), 3, 5)
				v.Index(2).Index(k).Set(reflect.ValueOf(n))
			case 4:
				v = reflect.MakeChan(reflect.ChanOf(reflect.BothDir, reflect.ArrayOf(1+k, nodes)), 2)
				v.Send(reflect.Zero(v.Type().Elem()))
			case 5:
				f := reflect.FuncOf([]reflect.Type{nodes, reflect.ArrayOf(1+k, nodes)}, []reflect.Type{nodes}, false)
				v = reflect.MakeFunc(f, func(args []reflect.Value) []reflect.Value { return args[:1] })
				out := v.Call([]reflect.Value{reflect.ValueOf(n), reflect.Zero(f.In(1))})
				out[0].Interface().(*node).alive()
			}
			kept[r.IntN(len(kept))] = v
		}
	}
}
