// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Shapes made of slices, arrays and strings.

package main

import "strings"

type item struct {
	name string
	tags []string
	subs [2]struct{ p *payload }
}

var (
	text         string
	buffer       []byte
	resliced     []byte
	pastEnd      []byte
	pointerSlice []*payload
	tailSlice    []*payload
	itemSlice    []item
	sliceSlice   [][]byte
	stringSlice  []string
	shareSlice   []string
	pointerArray [4]*payload
)

// payloads fills a slice.
func payloads(s []*payload) []*payload {
	for i := range s {
		s[i] = new(payload)
	}
	return s
}

var sliceShapes = []shape{
	{
		name:  "string",
		roots: []variable{global("main.text", &text)},
		build: func() { text = strings.Repeat("x", 1000) },
		want:  func() []ref { return []ref{at(1, noscan(1000), "main.text")} },
	},
	{
		name:  "bytes",
		roots: []variable{global("main.buffer", &buffer)},
		build: func() { buffer = make([]byte, 70_000) },
		want:  func() []ref { return []ref{at(1, noscan(70_000), "main.buffer")} },
	},
	{
		name:  "reslice",
		roots: []variable{global("main.resliced", &resliced)},
		build: func() { resliced = make([]byte, 10_000)[5000:6000:6000] },
		want:  func() []ref { return []ref{at(1, noscan(10_000), "main.resliced")} },
	},
	{
		name:  "reslice to nothing",
		roots: []variable{global("main.pastEnd", &pastEnd)},
		build: func() { pastEnd = make([]byte, 64)[64:] },
		want:  func() []ref { return []ref{at(1, noscan(64), "main.pastEnd")} },
	},
	{
		name:  "slice of pointers",
		roots: []variable{global("main.pointerSlice", &pointerSlice)},
		build: func() { pointerSlice = payloads(make([]*payload, 100)) },
		want: func() []ref {
			return []ref{
				at(1, array[*payload](100), "main.pointerSlice"),
				at(100, of[payload](), "main.pointerSlice", "[]*main.payload[elem]"),
			}
		},
	},
	{
		name:  "slice of pointers, resliced",
		roots: []variable{global("main.tailSlice", &tailSlice)},
		build: func() { tailSlice = payloads(make([]*payload, 100))[90:] },
		want: func() []ref {
			return []ref{
				at(1, array[*payload](100), "main.tailSlice"),
				at(100, of[payload](), "main.tailSlice", "[]*main.payload[elem]"),
			}
		},
	},
	{
		name:  "slice of structs",
		roots: []variable{global("main.itemSlice", &itemSlice)},
		build: func() {
			itemSlice = make([]item, 10)
			for i := range itemSlice {
				it := &itemSlice[i]
				it.name = strings.Repeat("n", 40)
				it.tags = []string{strings.Repeat("a", 20), strings.Repeat("b", 20)}
				it.subs[0].p, it.subs[1].p = new(payload), new(payload)
			}
		},
		want: func() []ref {
			return []ref{
				at(1, array[item](10), "main.itemSlice"),
				at(10, noscan(40), "main.itemSlice", "main.item.name string"),
				at(10, array[string](2), "main.itemSlice", "main.item.tags []string"),
				at(20, noscan(20), "main.itemSlice", "main.item.tags []string", "[]string[elem]"),
				at(20, of[payload](), "main.itemSlice", "main.item.subs.p *payload"),
			}
		},
	},
	{
		name:  "slice of slices",
		roots: []variable{global("main.sliceSlice", &sliceSlice)},
		build: func() {
			sliceSlice = make([][]byte, 16)
			for i := range sliceSlice {
				sliceSlice[i] = make([]byte, 100)
			}
		},
		want: func() []ref {
			return []ref{
				at(1, array[[]byte](16), "main.sliceSlice"),
				at(16, noscan(100), "main.sliceSlice", "[][]uint8[elem]"),
			}
		},
	},
	{
		name:  "slice of strings",
		roots: []variable{global("main.stringSlice", &stringSlice)},
		build: func() {
			stringSlice = make([]string, 1000)
			for i := range stringSlice {
				stringSlice[i] = strings.Repeat("s", 50)
			}
		},
		want: func() []ref {
			return []ref{
				at(1, array[string](1000), "main.stringSlice"),
				at(1000, noscan(50), "main.stringSlice", "[]string[elem]"),
			}
		},
	},
	{
		name:  "substrings of one string",
		roots: []variable{global("main.shareSlice", &shareSlice)},
		build: func() {
			whole := strings.Repeat("s", 5000)
			shareSlice = make([]string, 100)
			for i := range shareSlice {
				shareSlice[i] = whole[i*50:][:50]
			}
		},
		want: func() []ref {
			return []ref{
				at(1, array[string](100), "main.shareSlice"),
				at(1, noscan(5000), "main.shareSlice", "[]string[elem]"),
			}
		},
	},
	{
		name:  "array variable",
		roots: []variable{global("main.pointerArray", &pointerArray)},
		build: func() { payloads(pointerArray[:]) },
		want: func() []ref {
			return []ref{at(4, of[payload](), "main.pointerArray", "[4]*main.payload[elem]")}
		},
	},
}
