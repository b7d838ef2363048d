// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Shapes with pointers to the inside of objects, with pointers without the type
// of the objects, and with objects that marking scans in parts.

package main

import "unsafe"

// big is larger than a span of small objects, and larger than the part of an
// object that marking scans at once.
type big struct {
	first *payload
	_     [200 << 10]byte
	last  *[64]byte
}

// headed is large enough to have an allocation header, which has its type.
type headed struct {
	_ [600]byte
	p *payload
	n int64
}

type inside struct {
	p *payload
	n int64
	q *payload
}

type typedWins struct {
	n     *int64
	whole *inside
}

type untyped struct {
	small  unsafe.Pointer // to an object without an allocation header
	header unsafe.Pointer // to an object with one
}

var (
	bigObject    *big
	bigSlice     []*payload
	headedObject *headed
	intoStruct   *int64
	intoHeaded   *int64
	twoWays      *typedWins
	intoArray    *pair
	untypedPair  untyped
)

var interiorShapes = []shape{
	{
		name:  "object scanned in parts",
		roots: []variable{global("main.bigObject", &bigObject)},
		build: func() { bigObject = &big{first: new(payload), last: new([64]byte)} },
		want: func() []ref {
			return []ref{
				at(1, of[big](), "main.bigObject"),
				at(1, of[payload](), "main.bigObject", "main.big.first *payload"),
				at(1, noscan(64), "main.bigObject", "main.big.last *[64]uint8"),
			}
		},
	},
	{
		name:  "slice scanned in parts",
		roots: []variable{global("main.bigSlice", &bigSlice)},
		build: func() { bigSlice = payloads(make([]*payload, 50_000)) },
		want: func() []ref {
			return []ref{
				at(1, array[*payload](50_000), "main.bigSlice"),
				at(50_000, of[payload](), "main.bigSlice", "[]*main.payload[elem]"),
			}
		},
	},
	{
		name:  "object with a header",
		roots: []variable{global("main.headedObject", &headedObject)},
		build: func() { headedObject = &headed{p: new(payload)} },
		want: func() []ref {
			return []ref{
				at(1, of[headed](), "main.headedObject"),
				at(1, of[payload](), "main.headedObject", "main.headed.p *payload"),
			}
		},
	},
	{
		name:  "*int64 into a struct",
		roots: []variable{global("main.intoStruct", &intoStruct)},
		build: func() { intoStruct = &(&inside{p: new(payload), q: new(payload)}).n },
		want: func() []ref {
			return []ref{
				at(1, of[inside](), "main.intoStruct"),
				at(2, of[payload](), "main.intoStruct", "(unknown)"),
			}
		},
	},
	{
		name:  "*int64 into a struct with a header",
		roots: []variable{global("main.intoHeaded", &intoHeaded)},
		build: func() { intoHeaded = &(&headed{p: new(payload)}).n },
		want: func() []ref {
			return []ref{
				at(1, of[headed](), "main.intoHeaded"),
				at(1, of[payload](), "main.intoHeaded", "main.headed.p *payload"),
			}
		},
	},
	{
		name:  "*int64 into a struct that has a typed reference",
		roots: []variable{global("main.twoWays", &twoWays)},
		build: func() {
			whole := &inside{p: new(payload)}
			twoWays = &typedWins{&whole.n, whole}
		},
		want: func() []ref {
			return []ref{
				at(1, of[typedWins](), "main.twoWays"),
				at(1, of[inside](), "main.twoWays", "main.typedWins.whole *inside"),
				at(1, of[payload](), "main.twoWays", "main.typedWins.whole *inside", "main.inside.p *payload"),
			}
		},
	},
	{
		name:  "pointer to an array element",
		roots: []variable{global("main.intoArray", &intoArray)},
		build: func() {
			a := make([]pair, 10)
			for i := range a {
				a[i].a = new(payload)
			}
			intoArray = &a[5]
		},
		want: func() []ref {
			return []ref{
				at(1, array[pair](10), "main.intoArray"),
				either(10, of[payload](), "main.intoArray > main.pair.a *payload", "main.intoArray > (unknown)"),
			}
		},
	},
	{
		name:  "unsafe pointers",
		roots: []variable{global("main.untypedPair", &untypedPair)},
		build: func() {
			untypedPair.small = unsafe.Pointer(&pair{a: new(payload)})
			untypedPair.header = unsafe.Pointer(&headed{p: new(payload)})
		},
		want: func() []ref {
			return []ref{
				{[]string{"main.untypedPair > main.untyped.small (unknown)"}, total{2, of[pair]() + of[payload]()}},
				at(1, of[headed](), "main.untypedPair", "main.untyped.header *headed"),
				at(1, of[payload](), "main.untypedPair", "main.untyped.header *headed", "main.headed.p *payload"),
			}
		},
	},
}
