// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Shapes made of maps whose keys and values are references of all kinds, or are
// large and have references in them.

package main

import "io"

type (
	wideName struct {
		name string
		_    [200]byte
	}
	wideMaps map[wideName]wideValue
)

var (
	nameKeys    map[wideName]int
	wideEntries wideMaps
	wideText    map[string]wideKey
	arrayKeys   map[[2]string]int
	textValues  map[float64]string
	chanMap     map[chan *payload]chan *payload
	funcValues  map[bool]func() int
	readers     map[int8]io.Reader
	anyReaders  map[io.Reader]struct{}
)

var mapReferenceShapes = []shape{
	{
		name:  "map with indirect keys that have strings",
		roots: []variable{global("main.nameKeys", &nameKeys)},
		build: func() {
			nameKeys = map[wideName]int{}
			for i := range 100 {
				nameKeys[wideName{name: longText(i)}] = i
			}
		},
		want: func() []ref {
			key := "map[main.wideName]int[key]"
			return []ref{
				count(1, "main.nameKeys"),
				some("main.nameKeys", "map[main.wideName]int[table]"),
				at(100, of[wideName](), "main.nameKeys", key),
				at(100, noscan(40), "main.nameKeys", key, "main.wideName.name string"),
			}
		},
	},
	{
		name:  "map with indirect keys and values",
		roots: []variable{global("main.wideEntries", &wideEntries)},
		build: func() {
			wideEntries = wideMaps{}
			for i := range 7 {
				wideEntries[wideName{name: longText(i)}] = wideValue{p: new(payload)}
			}
		},
		want: func() []ref {
			key, value := "main.wideMaps[key]", "main.wideMaps[value]"
			return []ref{
				count(1, "main.wideEntries"),
				count(1, "main.wideEntries", "main.wideMaps[table]"),
				at(7, of[wideName](), "main.wideEntries", key),
				at(7, noscan(40), "main.wideEntries", key, "main.wideName.name string"),
				at(7, of[wideValue](), "main.wideEntries", value),
				at(7, of[payload](), "main.wideEntries", value, "main.wideValue.p *payload"),
			}
		},
	},
	{
		name:  "map with strings and indirect values without pointers",
		roots: []variable{global("main.wideText", &wideText)},
		build: func() {
			wideText = map[string]wideKey{}
			for i := range 50 {
				wideText[longText(i)] = wideKey{}
			}
		},
		want: func() []ref {
			return []ref{
				count(1, "main.wideText"),
				some("main.wideText", "map[string]main.wideKey[table]"),
				at(50, noscan(40), "main.wideText", "map[string]main.wideKey[key]"),
				at(50, of[wideKey](), "main.wideText", "map[string]main.wideKey[value]"),
			}
		},
	},
	{
		name:  "map with arrays for keys",
		roots: []variable{global("main.arrayKeys", &arrayKeys)},
		build: func() {
			arrayKeys = map[[2]string]int{}
			for i := range 100 {
				arrayKeys[[2]string{longText(i), longText(-i)}] = i
			}
		},
		want: func() []ref {
			return []ref{
				count(1, "main.arrayKeys"),
				some("main.arrayKeys", "map[[2]string]int[table]"),
				at(200, noscan(40), "main.arrayKeys", "map[[2]string]int[key]"),
			}
		},
	},
	{
		name:  "map with strings for values",
		roots: []variable{global("main.textValues", &textValues)},
		build: func() {
			textValues = map[float64]string{}
			for i := range 300 {
				textValues[float64(i)/3] = longText(i)
			}
		},
		want: func() []ref {
			return []ref{
				count(1, "main.textValues"),
				some("main.textValues", "map[float64]string[table]"),
				at(300, noscan(40), "main.textValues", "map[float64]string[value]"),
			}
		},
	},
	{
		name:  "map with channels for keys and values",
		roots: []variable{global("main.chanMap", &chanMap)},
		build: func() {
			chanMap = map[chan *payload]chan *payload{}
			for range 20 {
				value := make(chan *payload, 2)
				value <- new(payload)
				chanMap[make(chan *payload)] = value
			}
		},
		want: func() []ref {
			typ := "map[chan *main.payload]chan *main.payload"
			return []ref{
				count(1, "main.chanMap"),
				some("main.chanMap", typ+"[table]"),
				count(20, "main.chanMap", typ+"[key]"),
				count(20, "main.chanMap", typ+"[value]"),
				at(20, array[*payload](2), "main.chanMap", typ+"[value]", "chan *main.payload[buffer]"),
				at(20, of[payload](), "main.chanMap", typ+"[value]", "chan *main.payload[elem]"),
			}
		},
	},
	{
		name:  "map with functions for values",
		roots: []variable{global("main.funcValues", &funcValues)},
		build: func() {
			funcValues = map[bool]func() int{
				false: capture(new(payload), 5),
				true:  (&reader{data: make([]byte, 100)}).report,
			}
		},
		want: func() []ref {
			captured := "map[bool]func() int[value](main.capture.func1)"
			bound := "map[bool]func() int[value](main.(*reader).report-fm)"
			return []ref{
				count(1, "main.funcValues"),
				count(1, "main.funcValues", "map[bool]func() int[table]"),
				count(1, "main.funcValues", captured),
				at(1, of[payload](), "main.funcValues", captured, capturedPayload),
				count(1, "main.funcValues", bound),
				at(1, of[reader](), "main.funcValues", bound, reportReceiver),
				at(1, noscan(100), "main.funcValues", bound, reportReceiver, "main.reader.data []uint8"),
			}
		},
	},
	{
		name:  "map with interfaces with methods for values",
		roots: []variable{global("main.readers", &readers)},
		build: func() {
			readers = map[int8]io.Reader{}
			for i := range 100 {
				readers[int8(i)] = &reader{data: make([]byte, 100)}
			}
		},
		want: func() []ref {
			value := "map[int8]io.Reader[value](*main.reader)"
			return []ref{
				count(1, "main.readers"),
				some("main.readers", "map[int8]io.Reader[table]"),
				at(100, of[reader](), "main.readers", value),
				at(100, noscan(100), "main.readers", value, "main.reader.data []uint8"),
			}
		},
	},
	{
		name:  "set of interfaces with methods",
		roots: []variable{global("main.anyReaders", &anyReaders)},
		build: func() {
			anyReaders = map[io.Reader]struct{}{}
			for range 100 {
				anyReaders[&reader{}] = struct{}{}
			}
		},
		want: func() []ref {
			return []ref{
				count(1, "main.anyReaders"),
				some("main.anyReaders", "map[io.Reader]struct {}[table]"),
				at(100, of[reader](), "main.anyReaders", "map[io.Reader]struct {}[key](*main.reader)"),
			}
		},
	},
}
