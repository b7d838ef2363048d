// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Shapes made of maps with keys and values of all kinds.

package main

import "fmt"

type (
	wideKey   [200]byte // stored indirectly, like all keys of more than 128 bytes
	wideValue struct {
		p *payload
		_ [200]byte
	}
	fieldKey struct {
		name string
		id   int
	}
	fieldValue struct {
		id int
		p  *payload
	}
)

var (
	pointerless map[int]int
	stringKeys  map[string]int
	setMap      map[string]struct{}
	wideKeys    map[wideKey]int
	wideValues  map[int]wideValue
	wideBoth    map[wideKey]*payload
	fieldsMap   map[fieldKey]fieldValue
	pointerKeys map[*payload]*[48]byte
	anyMap      map[any]any
	sliceValues map[int][]byte
	arrayValues map[int][2]*payload
)

// longText returns a new string of 40 bytes.
func longText(i int) string { return fmt.Sprintf("%040d", i) }

var mapKindShapes = []shape{
	{
		name:  "map without pointers",
		roots: []variable{global("main.pointerless", &pointerless)},
		build: func() {
			pointerless = map[int]int{}
			for i := range 3000 {
				pointerless[i] = i
			}
		},
		want: func() []ref {
			return []ref{count(1, "main.pointerless"), some("main.pointerless", "map[int]int[table]")}
		},
	},
	{
		name:  "map with strings for keys only",
		roots: []variable{global("main.stringKeys", &stringKeys)},
		build: func() {
			stringKeys = map[string]int{}
			for i := range 3000 {
				stringKeys[longText(i)] = i
			}
		},
		want: func() []ref {
			return []ref{
				count(1, "main.stringKeys"),
				some("main.stringKeys", "map[string]int[table]"),
				at(3000, noscan(40), "main.stringKeys", "map[string]int[key]"),
			}
		},
	},
	{
		name:  "set",
		roots: []variable{global("main.setMap", &setMap)},
		build: func() {
			setMap = map[string]struct{}{}
			for i := range 100 {
				setMap[longText(i)] = struct{}{}
			}
		},
		want: func() []ref {
			return []ref{
				count(1, "main.setMap"),
				some("main.setMap", "map[string]struct {}[table]"),
				at(100, noscan(40), "main.setMap", "map[string]struct {}[key]"),
			}
		},
	},
	{
		name:  "map with indirect keys",
		roots: []variable{global("main.wideKeys", &wideKeys)},
		build: func() {
			wideKeys = map[wideKey]int{}
			for i := range 100 {
				wideKeys[wideKey{byte(i)}] = i
			}
		},
		want: func() []ref {
			return []ref{
				count(1, "main.wideKeys"),
				some("main.wideKeys", "map[main.wideKey]int[table]"),
				at(100, of[wideKey](), "main.wideKeys", "map[main.wideKey]int[key]"),
			}
		},
	},
	{
		name:  "map with indirect values",
		roots: []variable{global("main.wideValues", &wideValues)},
		build: func() {
			wideValues = map[int]wideValue{}
			for i := range 100 {
				wideValues[i] = wideValue{p: new(payload)}
			}
		},
		want: func() []ref {
			return []ref{
				count(1, "main.wideValues"),
				some("main.wideValues", "map[int]main.wideValue[table]"),
				at(100, of[wideValue](), "main.wideValues", "map[int]main.wideValue[value]"),
				at(100, of[payload](), "main.wideValues", "map[int]main.wideValue[value]", "main.wideValue.p *payload"),
			}
		},
	},
	{
		name:  "map with indirect keys and direct values",
		roots: []variable{global("main.wideBoth", &wideBoth)},
		build: func() {
			wideBoth = map[wideKey]*payload{}
			for i := range 5 {
				wideBoth[wideKey{byte(i)}] = new(payload)
			}
		},
		want: func() []ref {
			return []ref{
				count(1, "main.wideBoth"),
				count(1, "main.wideBoth", "map[main.wideKey]*main.payload[table]"),
				at(5, of[wideKey](), "main.wideBoth", "map[main.wideKey]*main.payload[key]"),
				at(5, of[payload](), "main.wideBoth", "map[main.wideKey]*main.payload[value]"),
			}
		},
	},
	{
		name:  "map with structs for keys and values",
		roots: []variable{global("main.fieldsMap", &fieldsMap)},
		build: func() {
			fieldsMap = map[fieldKey]fieldValue{}
			for i := range 100 {
				fieldsMap[fieldKey{longText(i), i}] = fieldValue{i, new(payload)}
			}
		},
		want: func() []ref {
			return []ref{
				count(1, "main.fieldsMap"),
				some("main.fieldsMap", "map[main.fieldKey]main.fieldValue[table]"),
				at(100, noscan(40), "main.fieldsMap", "main.fieldKey.name string"),
				at(100, of[payload](), "main.fieldsMap", "main.fieldValue.p *payload"),
			}
		},
	},
	{
		name:  "map with pointers for keys",
		roots: []variable{global("main.pointerKeys", &pointerKeys)},
		build: func() {
			pointerKeys = map[*payload]*[48]byte{}
			for range 100 {
				pointerKeys[new(payload)] = new([48]byte)
			}
		},
		want: func() []ref {
			return []ref{
				count(1, "main.pointerKeys"),
				some("main.pointerKeys", "map[*main.payload]*[48]uint8[table]"),
				at(100, of[payload](), "main.pointerKeys", "map[*main.payload]*[48]uint8[key]"),
				at(100, noscan(48), "main.pointerKeys", "map[*main.payload]*[48]uint8[value]"),
			}
		},
	},
	{
		name:  "map of interfaces",
		roots: []variable{global("main.anyMap", &anyMap)},
		build: func() {
			anyMap = map[any]any{}
			for i := range 20 {
				anyMap[new(payload)] = [6]int64{int64(i)}
			}
		},
		want: func() []ref {
			return []ref{
				count(1, "main.anyMap"),
				some("main.anyMap", "map[interface {}]interface {}[table]"),
				at(20, of[payload](), "main.anyMap", "map[interface {}]interface {}[key](*main.payload)"),
				at(20, of[[6]int64](), "main.anyMap", "map[interface {}]interface {}[value]([6]int64)"),
			}
		},
	},
	{
		name:  "map with slices for values",
		roots: []variable{global("main.sliceValues", &sliceValues)},
		build: func() {
			sliceValues = map[int][]byte{}
			for i := range 100 {
				sliceValues[i] = make([]byte, 300)
			}
		},
		want: func() []ref {
			return []ref{
				count(1, "main.sliceValues"),
				some("main.sliceValues", "map[int][]uint8[table]"),
				at(100, noscan(300), "main.sliceValues", "map[int][]uint8[value]"),
			}
		},
	},
	{
		name:  "map with arrays for values",
		roots: []variable{global("main.arrayValues", &arrayValues)},
		build: func() {
			arrayValues = map[int][2]*payload{}
			for i := range 100 {
				arrayValues[i] = [2]*payload{new(payload), new(payload)}
			}
		},
		want: mapOf("main.arrayValues", "map[int][2]*main.payload", 200),
	},
}
