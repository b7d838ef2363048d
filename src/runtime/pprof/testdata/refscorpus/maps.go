// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Shapes made of maps of all forms. The expected paths have the exact numbers
// of keys and values. Only the oracle knows how many bytes the maps themselves
// take.

package main

import "fmt"

type trie map[byte]trie // refers to maps of its own type

var (
	emptyMap     map[string]*payload
	lazyMap      map[string]*payload
	smallMap     map[string]*payload
	fullMap      map[int]*payload
	grownMap     map[int]*payload
	hugeMap      map[int]*payload
	mapOfMaps    map[string]map[int]*payload
	foldedTrie   trie
	shrunkMap    map[int]*payload
	clearedMap   map[int]*payload
	sizedMaps    []map[uint64]*payload
	pointerToMap *map[int]*payload
)

// mapSizes returns numbers of entries around each size at which the form of a
// map changes: from one group to one table, which doubles, and then to several
// tables. Tables split one by one. Therefore only some of them have several
// slots of the directory.
func mapSizes() (sizes []int) {
	for n := 1; n <= 16; n++ {
		sizes = append(sizes, n)
	}
	for full := 14; full < 20_000; full *= 2 {
		sizes = append(sizes, full, full+1, full+full/4, full+full/2, full+full*3/4)
	}
	return sizes
}

func filled(n int) map[int]*payload {
	m := map[int]*payload{}
	for i := range n {
		m[i] = new(payload)
	}
	return m
}

// mapOf expects, at a variable, a map with n payloads as values and with keys
// without pointers.
func mapOf(root, typ string, n int) func() []ref {
	return func() []ref {
		return []ref{
			count(1, root),
			some(root, typ+"[table]"),
			at(n, of[payload](), root, typ+"[value]"),
		}
	}
}

var mapShapes = []shape{
	{
		name:  "map that never had an entry",
		roots: []variable{global("main.emptyMap", &emptyMap)},
		build: func() { emptyMap = make(map[string]*payload) },
		want:  func() []ref { return []ref{count(1, "main.emptyMap")} },
	},
	{
		name:  "map with room",
		roots: []variable{global("main.lazyMap", &lazyMap)},
		build: func() { lazyMap = make(map[string]*payload, 5000) },
		want: func() []ref {
			return []ref{count(1, "main.lazyMap"), some("main.lazyMap", "map[string]*main.payload[table]")}
		},
	},
	{
		name:  "small map",
		roots: []variable{global("main.smallMap", &smallMap)},
		build: func() {
			smallMap = map[string]*payload{}
			for i := range 5 {
				smallMap[longText(i)] = new(payload)
			}
		},
		want: func() []ref {
			return []ref{
				count(1, "main.smallMap"),
				count(1, "main.smallMap", "map[string]*main.payload[table]"),
				at(5, noscan(40), "main.smallMap", "map[string]*main.payload[key]"),
				at(5, of[payload](), "main.smallMap", "map[string]*main.payload[value]"),
			}
		},
	},
	{
		name:  "map with one full group",
		roots: []variable{global("main.fullMap", &fullMap)},
		build: func() { fullMap = filled(8) },
		want: func() []ref {
			return []ref{
				count(1, "main.fullMap"),
				count(1, "main.fullMap", "map[int]*main.payload[table]"),
				at(8, of[payload](), "main.fullMap", "map[int]*main.payload[value]"),
			}
		},
	},
	{
		name:  "map with one table",
		roots: []variable{global("main.grownMap", &grownMap)},
		build: func() { grownMap = filled(9) },
		want: func() []ref {
			return []ref{
				count(1, "main.grownMap"),
				count(3, "main.grownMap", "map[int]*main.payload[table]"), // directory, table, groups
				at(9, of[payload](), "main.grownMap", "map[int]*main.payload[value]"),
			}
		},
	},
	{
		name:  "map with many tables",
		roots: []variable{global("main.hugeMap", &hugeMap)},
		build: func() { hugeMap = filled(50_000) },
		want:  mapOf("main.hugeMap", "map[int]*main.payload", 50_000),
	},
	{
		name:  "maps of all forms",
		roots: []variable{global("main.sizedMaps", &sizedMaps)},
		build: func() {
			sizedMaps = make([]map[uint64]*payload, len(mapSizes()))
			for i, n := range mapSizes() {
				sizedMaps[i] = map[uint64]*payload{}
				for j := range n {
					sizedMaps[i][uint64(j)<<32] = new(payload)
				}
			}
		},
		want: func() []ref {
			sum := 0
			for _, n := range mapSizes() {
				sum += n
			}
			maps, typ := "[]map[uint64]*main.payload[elem]", "map[uint64]*main.payload"
			return []ref{
				at(1, array[map[uint64]*payload](len(mapSizes())), "main.sizedMaps"),
				count(len(mapSizes()), "main.sizedMaps", maps),
				some("main.sizedMaps", maps, typ+"[table]"),
				at(sum, of[payload](), "main.sizedMaps", maps, typ+"[value]"),
			}
		},
	},
	{
		name:  "map with deleted entries",
		roots: []variable{global("main.shrunkMap", &shrunkMap)},
		build: func() {
			shrunkMap = filled(5000)
			for i := range 4000 {
				delete(shrunkMap, i)
			}
		},
		want: mapOf("main.shrunkMap", "map[int]*main.payload", 1000),
	},
	{
		name:  "cleared map",
		roots: []variable{global("main.clearedMap", &clearedMap)},
		build: func() {
			clearedMap = filled(500)
			clear(clearedMap)
		},
		want: func() []ref {
			return []ref{count(1, "main.clearedMap"), some("main.clearedMap", "map[int]*main.payload[table]")}
		},
	},
	{
		name:  "map of maps",
		roots: []variable{global("main.mapOfMaps", &mapOfMaps)},
		build: func() {
			mapOfMaps = map[string]map[int]*payload{}
			for i := range 30 {
				mapOfMaps[longText(i)] = filled(i + 1)
			}
		},
		want: func() []ref {
			outer, typ := "map[string]map[int]*main.payload", "map[int]*main.payload"
			return []ref{
				count(1, "main.mapOfMaps"),
				some("main.mapOfMaps", outer+"[table]"),
				at(30, noscan(40), "main.mapOfMaps", outer+"[key]"),
				count(30, "main.mapOfMaps", outer+"[value]"),
				some("main.mapOfMaps", outer+"[value]", typ+"[table]"),
				at(30*31/2, of[payload](), "main.mapOfMaps", outer+"[value]", typ+"[value]"),
			}
		},
	},
	{
		name:  "map that holds maps of its type",
		roots: []variable{global("main.foldedTrie", &foldedTrie)},
		build: func() {
			foldedTrie = trie{}
			for i := range 100 {
				at := foldedTrie
				for _, b := range []byte(fmt.Sprintf("%08b", i)) {
					if at[b] == nil {
						at[b] = trie{}
					}
					at = at[b]
				}
			}
		},
		want: func() []ref {
			nodes := map[string]bool{}
			for i := range 100 {
				for n := range 8 {
					nodes[fmt.Sprintf("%08b", i)[:n+1]] = true
				}
			}
			return []ref{
				count(1, "main.foldedTrie"),
				count(1, "main.foldedTrie", "main.trie[table]"),
				count(len(nodes), "main.foldedTrie", "main.trie[value]"),
				some("main.foldedTrie", "main.trie[value]", "main.trie[table]"),
			}
		},
	},
	{
		name:  "pointer to a map",
		roots: []variable{global("main.pointerToMap", &pointerToMap)},
		build: func() {
			pointerToMap = new(map[int]*payload)
			*pointerToMap = filled(20)
		},
		want: func() []ref {
			typ := "map[int]*main.payload"
			return []ref{
				at(1, of[map[int]*payload](), "main.pointerToMap"),
				count(1, "main.pointerToMap", "*"+typ+"[elem]"),
				some("main.pointerToMap", "*"+typ+"[elem]", typ+"[table]"),
				at(20, of[payload](), "main.pointerToMap", "*"+typ+"[elem]", typ+"[value]"),
			}
		},
	},
}
