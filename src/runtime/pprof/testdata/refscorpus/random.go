// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Shapes of random form, of static types and of types that reflect makes. grow
// fills a value with new objects, each of which is held by one reference, so
// that walk.go can predict its path. The same seed makes the same shapes.

package main

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"time"
)

// The static types refer to each other in many ways.
type (
	randomA struct {
		B     *randomB
		Name  string
		Parts []randomC
		Index map[uint64]*randomB
		Any   any
		N     int
	}
	randomB struct {
		Next  *randomB
		A     *randomA
		Three [3]*randomC
		Words *[100]uint64
		In    struct {
			Deep  *randomD
			Names []string
		}
	}
	randomC struct {
		Name string
		Any  any
		Q    [2]uint64
	}
	randomD struct {
		Pad   [600]byte
		Table map[string]randomC
		Queue chan *randomA
		Text  [][]string
		Ptr   **randomC
		Kids  []*randomD
		randomE
	}
	randomE struct {
		Wide map[string][40]*randomC
		Sub  map[uint64]map[string][]byte
	}
)

var (
	randomStruct  randomD
	randomPointer *randomA
	randomSlice   []any
	randomMap     map[string]*randomB
	randomMade    []any
)

// randomKinds are the dynamic types of interfaces in shapes of static types.
// madeKinds builds other types from them.
var randomKinds = []reflect.Type{
	reflect.TypeFor[*randomA](),
	reflect.TypeFor[*randomB](),
	reflect.TypeFor[randomC](),
	reflect.TypeFor[*randomD](),
	reflect.TypeFor[[]randomC](),
	reflect.TypeFor[[]*randomA](),
	reflect.TypeFor[map[string]*randomC](),
	reflect.TypeFor[map[uint64][]byte](),
	reflect.TypeFor[chan *randomB](),
	reflect.TypeFor[[6]uint64](),
	reflect.TypeFor[string](),
	reflect.TypeFor[[]string](),
	reflect.TypeFor[struct{ P *randomC }](),
	reflect.TypeFor[[1]*randomC](),
	reflect.TypeFor[[2]*randomC](),
}

// A grower makes random values. It stops making objects when its budget is
// spent.
type grower struct {
	*rand.Rand
	budget int
	kinds  []reflect.Type // dynamic types of interfaces
}

func (g *grower) spend() bool {
	g.budget--
	return g.budget > 0
}

func (g *grower) bytes() []byte { return make([]byte, 16+g.IntN(200)) }

// grow fills v. It makes fewer references at deeper levels, so that the first
// levels are wide.
func (g *grower) grow(v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			g.grow(v.Field(i), depth)
		}
	case reflect.Array:
		for i := range v.Len() {
			g.grow(v.Index(i), depth)
		}
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Chan, reflect.Interface, reflect.String:
		if hasPointers(v.Type()) && g.IntN(depth+4) < 4 && g.spend() {
			g.refer(v, depth+1)
		}
	}
}

// refer makes the object to which v refers, and fills it.
func (g *grower) refer(v reflect.Value, depth int) {
	t := v.Type()
	switch v.Kind() {
	case reflect.String:
		v.SetString(string(g.bytes()))
	case reflect.Pointer:
		v.Set(reflect.New(t.Elem()))
		g.grow(v.Elem(), depth)
	case reflect.Interface:
		n := reflect.New(g.kinds[g.IntN(len(g.kinds))]).Elem()
		g.grow(n, depth)
		v.Set(n)
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			v.SetBytes(g.bytes())
			return
		}
		n := 1 + g.IntN(6)
		v.Set(reflect.MakeSlice(t, n, n+g.IntN(2)))
		for i := range n {
			g.grow(v.Index(i), depth)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(t))
		for range g.IntN(12) {
			key, value := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
			if key.Kind() == reflect.String {
				key.SetString(fmt.Sprintf("%030d", g.Uint64()))
			} else {
				key.SetUint(g.Uint64())
			}
			g.grow(value, depth)
			v.SetMapIndex(key, value)
		}
	case reflect.Chan:
		v.Set(reflect.MakeChan(t, 3))
		for range g.IntN(4) {
			e := reflect.New(t.Elem()).Elem()
			g.grow(e, depth)
			v.Send(e)
		}
	}
}

// madeKinds makes types with reflect that the program does not declare.
func (g *grower) madeKinds() (kinds []reflect.Type) {
	for i := range 12 {
		t := randomKinds[g.IntN(len(randomKinds))]
		u := randomKinds[g.IntN(len(randomKinds))]
		switch i % 4 {
		case 0:
			t = reflect.PointerTo(reflect.StructOf([]reflect.StructField{
				{Name: fmt.Sprint("First", g.IntN(100)), Type: t},
				{Name: "Word", Type: reflect.TypeFor[int]()},
				{Name: fmt.Sprint("Last", g.IntN(100)), Type: u},
			}))
		case 1:
			t = reflect.SliceOf(reflect.ArrayOf(2+g.IntN(5), t))
		case 2:
			t = reflect.MapOf(reflect.TypeFor[string](), reflect.SliceOf(t))
		case 3:
			t = reflect.ArrayOf(2+g.IntN(30), t)
		}
		kinds = append(kinds, t)
	}
	return kinds
}

// randomShape returns a shape that is a variable with random contents.
func randomShape[T any](g *grower, name string, v *T, depth int) shape {
	root := reflect.ValueOf(v).Elem()
	var refs []ref
	return shape{
		name:  fmt.Sprintf("random %s of seed %d", name, *seed),
		roots: []variable{global("main."+name, v)},
		build: func() {
			g.budget = 20_000
			if root.Kind() == reflect.Struct {
				g.grow(root, depth)
			} else {
				g.refer(root, depth)
			}
			refs = walk("main."+name, root) // receives from channels, and sends the elements again
		},
		want: func() []ref { return refs },
	}
}

func randomShapes() []shape {
	if *seed == 0 {
		*seed = uint64(time.Now().UnixNano())
	}
	static := &grower{Rand: rand.New(rand.NewPCG(*seed, 0)), kinds: randomKinds}
	making := &grower{Rand: rand.New(rand.NewPCG(*seed, 1))}
	made := randomShape(making, "randomMade", &randomMade, 0)
	// Package reflect also refers to the descriptors of the made types. In
	// pointer maps that reflect makes, the type word of an interface is a
	// pointer to such a descriptor.
	made.shares = true
	fill := made.build
	made.build = func() {
		making.kinds = making.madeKinds()
		fill()
	}
	return []shape{
		randomShape(static, "randomStruct", &randomStruct, 0),
		randomShape(static, "randomPointer", &randomPointer, 0),
		randomShape(static, "randomSlice", &randomSlice, 0),
		randomShape(static, "randomMap", &randomMap, 0),
		made,
	}
}
