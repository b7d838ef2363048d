// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"slices"
	"testing"
)

// TestMapParts has the variable main.x with children, whose names, megabytes and
// objects are those that came.
func TestMapParts(t *testing.T) {
	const kv, some, other = "map[string]main.pair", "main.pair.list []*T", "main.pair.name string"
	type part struct {
		name       string
		mb, number int64
	}
	for _, test := range []struct {
		name  string
		at    string // the variable
		parts []part
		want  []string // places below the variable
		of    string
	}{
		{"keys, values and tables", "main.x map[string]pair", []part{{kv + "[key]", 19, 100}, {kv + "[value]", 20, 100}, {kv + "[table]", 4, 3}}, []string{""}, "of it: [value] 20 MB, [key] 19 MB, [table] 4.0 MB"},
		{"keys and tables", "main.x map[string]pair", []part{{kv + "[key]", 4, 100}, {kv + "[table]", 5, 3}}, []string{""}, "of it: [table] 5.0 MB, [key] 4.0 MB"},
		{"keys and a field", "main.x map[string]pair", []part{{kv + "[key]", 5, 100}, {other, 5, 100}}, []string{""}, "of it: main.pair.name string 5.0 MB, [key] 5.0 MB"},
		{"values of two types", "main.x map[string]pair", []part{{kv + "[value](*A)", 5, 100}, {kv + "[value](*B)", 5, 100}}, []string{""}, "of it: [value](*A) 5.0 MB, [value](*B) 5.0 MB"},
		{"most is a part", "main.x map[string]pair", []part{{kv + "[value]", 20, 100}, {kv + "[table]", 4, 3}}, []string{kv + "[value]"}, ""},
		{"little in all", "main.x map[string]pair", []part{{kv + "[key]", 1, 100}, {kv + "[value]", 1, 100}, {kv + "[table]", 1, 100}}, []string{""}, "of it: [key] 1.0 MB, [table] 1.0 MB, [value] 1.0 MB"},
		{"fields of as many pairs as before", "main.x map[string]pair", []part{{some, 5, 20}, {other, 5, 20}, {kv + "[table]", 0, 0}}, []string{some, other}, ""},
		{"fields of a slice's elements", "main.x []pair", []part{{some, 5, 100}, {other, 4, 90}}, []string{""}, "of it: main.pair.list []*T 5.0 MB, main.pair.name string 4.0 MB"},
		{"fields, most in one", "main.x []pair", []part{{some, 9, 100}, {other, 2, 100}}, []string{some}, ""},
		{"fields that differ", "main.x []pair", []part{{some, 5, 100}, {other, 5, 50}}, []string{some, other}, ""},
		{"fields of two types", "main.x []pair", []part{{some, 5, 100}, {"main.other.name string", 5, 100}}, []string{"main.other.name string", some}, ""},
		{"fields of a type whose name is an end", "main.x []repair", []part{{some, 5, 100}, {other, 4, 90}}, []string{some, other}, ""},
		{"two maps", "main.x map[string]pair", []part{{kv + "[value]", 5, 20}, {"map[int]int[table]", 5, 20}}, []string{"map[int]int[table]", kv + "[value]"}, ""},
	} {
		f := atRest()
		var sum, number int64
		for _, p := range test.parts {
			sum, number = sum+p.mb*mb, number+p.number
		}
		f.grow("global", sum, number, sum, test.at)
		x := f.Refs.Children[len(f.Refs.Children)-1]
		for _, p := range test.parts {
			x.Children = append(x.Children, &element{Name: p.name, Bytes: p.mb * mb, Objects: p.number, NewBytes: p.mb * mb, NewCount: p.number})
		}
		x.sort()
		all := findLive(f)
		var want []string
		for _, place := range test.want {
			if place != "" {
				place = pathSeparator + place
			}
			want = append(want, test.at+place)
		}
		var got []string
		for _, y := range all {
			got = append(got, y.Place)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", test.name, got, want)
		}
		if len(all) > 0 && test.of != "" && (!slices.Contains(all[0].Details, test.of) || all[0].Bytes != sum) {
			t.Errorf("%s: %d bytes, %q, want %d, %q", test.name, all[0].Bytes, all[0].Details, sum, test.of)
		}
	}
}

func TestContainerOf(t *testing.T) {
	for name, want := range map[string]string{
		"map[string]*main.visit[value]":              "map[string]*main.visit",
		"map[int]main.listener[value](*main.x)":      "map[int]main.listener",
		"map[main.key]int[table]":                    "map[main.key]int",
		"[]*main.order[elem]":                        "[]*main.order",
		"[]func()[elem](main.f.func1)":               "[]func()",
		"**runtime.g[elem]":                          "**runtime.g",
		"chan main.conf[buffer]":                     "chan main.conf",
		"<-chan *int[elem]":                          "<-chan *int",
		"main.jobs[elem]":                            "main.jobs",
		"main.list[go.shape.struct { x int }][elem]": "main.list[go.shape.struct { x int }]",
		"main.T.m map[key]*entry":                    "",
		"main.T.m map[value]int":                     "",
		"main.T.l List[elem]":                        "",
		"main.items":                                 "",
		"main.T.buf []uint8":                         "",
	} {
		e := &element{Name: name}
		if got := e.containerOf(containerParts); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
