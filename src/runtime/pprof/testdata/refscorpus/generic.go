// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Shapes made of generic types and of types of sync/atomic.

package main

import "sync/atomic"

// A pairOf is generic.
type pairOf[K comparable, V any] struct {
	key   K
	value V
	next  *pairOf[K, V]
}

// A wideOf is so large that it has an allocation header. Generic code with a
// composite literal writes a type there that is the same for all pointer types
// T.
type wideOf[T any] struct {
	parts [128]*partOf[T]
}

type partOf[T any] struct {
	list []T
}

//go:noinline
func newWide[T any](one func() T) *wideOf[T] {
	w := &wideOf[T]{}
	for i := range w.parts {
		w.parts[i] = &partOf[T]{make([]T, 100)}
		w.parts[i].list[i%100] = one()
	}
	return w
}

type shared struct {
	current atomic.Pointer[pair]
	value   atomic.Value
	counter atomic.Int64
}

var (
	genericPair *pairOf[string, *payload]
	genericWide *wideOf[*payload]
	atomics     *shared
	atomicOne   atomic.Pointer[pair]
)

var genericShapes = []shape{
	{
		name:  "generic type",
		roots: []variable{global("main.genericPair", &genericPair)},
		build: func() {
			for i := range 10 {
				genericPair = &pairOf[string, *payload]{longText(i), new(payload), genericPair}
			}
		},
		want: func() []ref {
			owner := "main.pairOf[string,*main.payload]"
			next := owner + ".next *pairOf[string,*payload]"
			return []ref{
				at(1, of[pairOf[string, *payload]](), "main.genericPair"),
				at(1, noscan(40), "main.genericPair", owner+".key string"),
				at(1, of[payload](), "main.genericPair", owner+".value *payload"),
				at(9, of[pairOf[string, *payload]](), "main.genericPair", next),
				at(9, noscan(40), "main.genericPair", next, owner+".key string"),
				at(9, of[payload](), "main.genericPair", next, owner+".value *payload"),
			}
		},
	},
	{
		name:  "generic type that generic code allocates",
		roots: []variable{global("main.genericWide", &genericWide)},
		build: func() { genericWide = newWide(func() *payload { return new(payload) }) },
		want: func() []ref {
			part := "main.wideOf[*main.payload].parts *partOf[*payload]"
			list := "main.partOf[*main.payload].list []*payload"
			return []ref{
				at(1, of[wideOf[*payload]](), "main.genericWide"),
				at(128, of[partOf[*payload]](), "main.genericWide", part),
				at(128, array[*payload](100), "main.genericWide", part, list),
				at(128, of[payload](), "main.genericWide", part, list, "[]*main.payload[elem]"),
			}
		},
	},
	{
		name:  "atomic pointer and value",
		roots: []variable{global("main.atomics", &atomics)},
		build: func() {
			atomics = new(shared)
			atomics.current.Store(&pair{a: new(payload)})
			atomics.value.Store(boxed{p: new(payload)})
		},
		want: func() []ref {
			value := "main.shared.value interface {}(boxed)"
			return []ref{
				at(1, of[shared](), "main.atomics"),
				at(1, of[pair](), "main.atomics", "main.shared.current *pair"),
				at(1, of[payload](), "main.atomics", "main.shared.current *pair", "main.pair.a *payload"),
				at(1, of[boxed](), "main.atomics", value),
				at(1, of[payload](), "main.atomics", value, "main.boxed.p *payload"),
			}
		},
	},
	{
		name:  "atomic pointer variable",
		roots: []variable{global("main.atomicOne", &atomicOne)},
		build: func() { atomicOne.Store(&pair{a: new(payload)}) },
		want: func() []ref {
			return []ref{
				at(1, of[pair](), "main.atomicOne"),
				at(1, of[payload](), "main.atomicOne", "main.pair.a *payload"),
			}
		},
	},
}
