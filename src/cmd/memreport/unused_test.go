// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"slices"
	"strings"
	"testing"
)

func TestFindUnused(t *testing.T) {
	cache := func(unused int64) func(*facts) {
		return func(f *facts) {
			f.Refs.Children[0].Unused = unused
			f.Refs.Children[0].Children = []*element{{Name: "map[int][]uint8[value]", Bytes: 24 * mb, Unused: unused}}
			f.Sites = []site{{Path: "main.cache > map[int][]uint8[value]", Code: "main.get a/b.go:84", Bytes: 20 * mb}}
		}
	}
	testFindings(t, findUnused, []findingTest{
		{"buffers", cache(17 * mb), []string{"main.cache > map[int][]uint8[value]"}},
		{"a small part", cache(9 * mb), nil},
		{"what append leaves", cache(14 * mb), nil},
		{"a map whose tables have split", cache(24 * mb * (40960 - 448*33) / 40960), nil},
		{"below a path that is used", func(f *facts) {
			f.Refs.Children[0].Unused = 20 * mb
			f.Refs.Children[0].Bytes = 60 * mb
			f.Refs.Children[0].Children = []*element{{Name: "a", Bytes: 12 * mb, Unused: 10 * mb}, {Name: "b", Bytes: 12 * mb, Unused: 10 * mb}, {Name: "c", Bytes: 36 * mb}}
		}, []string{"main.cache > a", "main.cache > b"}},
		{"in small parts", func(f *facts) {
			f.Refs.Children[0].Unused = 20 * mb
			f.Refs.Children[0].Children = []*element{{Name: "a", Bytes: 8 * mb, Unused: 7 * mb}, {Name: "b", Bytes: 8 * mb, Unused: 7 * mb}, {Name: "c", Bytes: 9 * mb, Unused: 6 * mb}}
		}, []string{"main.cache"}},
		{"less than the least", func(f *facts) {
			cache(standingLeast - 1)(f)
			f.Moments[spaced].Classes[resident] = 20 * mb
		}, nil},
		{"a pool", func(f *facts) {
			cache(17 * mb)(f)
			f.Refs.Children[0].Bytes = 60 * mb
			f.Refs.Children[0].Children[0].Name = "main.cache.pool.local *sync.poolLocal"
		}, nil},
		{"an explanation", func(f *facts) { f.Refs.Children[1].Unused = 50 * mb }, nil},
	})
	f := atRest()
	cache(17 * mb)(f)
	f.Refs.Children[0].Children[0].Objects = 240
	f.Moments[spaced].Classes[live], f.Moments[spaced+1].Classes[live] = mb, mb
	want := []string{because + arraysStay, "240 objects of 100 kB on average", "allocated by main.get a/b.go:84", "at most 1.0 MB of it is resident"}
	if got := findUnused(f)[0].Details; !slices.Equal(got, want) {
		t.Errorf("details %q, want %q", got, want)
	}
}

func TestUnusedReason(t *testing.T) {
	for name, want := range map[string]string{
		"map[string][]uint8[value]":          because + arraysStay,
		"map[[2]main.key][]uint8[value]":     because + arraysStay,
		"main.encoder.buf []uint8":           because + arraysStay,
		"bytes.Buffer.buf []uint8":           because + buffersStay,
		"[][]main.key[elem]":                 because + arraysStay,
		"[]string[elem]":                     because + textsStay,
		"main.page.title string":             because + textsStay,
		"map[string]string[value]":           because + textsStay,
		"map[string][]uint8[table]":          "",
		"map[string][]uint8[key]":            "",
		"[]*main.page[elem]":                 "",
		"chan []uint8[buffer]":               "",
		"main.t.f func([]uint8)":             "",
		"main.list.head *node[[]uint8]":      "",
		"map[string]*main.page[value]":       "",
		"chan *main.page[buffer]":            "",
		"main.cache > map[string]int[table]": "",
	} {
		if got := strings.Join((&element{Name: name}).unusedReason(), "; "); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	pool := element{Name: "main.bufs", Children: []*element{{Name: "sync.Pool.local *poolLocal"}}}
	if got := pool.unusedReason(); !slices.Equal(got, []string{because + poolsKeep}) {
		t.Errorf("a pool: %q", got)
	}
	for size, want := range map[int64]int{largeTable - 1: 1, largeTable: 2} {
		tables := element{Name: "map[string]int[table]", Bytes: 10 * size, Objects: 10}
		if got := tables.unusedReason(); len(got) != want || want == 2 && got[0] != tablesStay {
			t.Errorf("tables of %d bytes: %q", size, got)
		}
	}
}

// TestJoinUnused has growth of 1 MB at a path, and capacity at that and other
// paths.
func TestJoinUnused(t *testing.T) {
	const at = "main.a > []T"
	growth := finding{Kind: "live-growth", Place: at, Bytes: mb, Profile: "refs", group: growing, Details: []string{"came"}}
	whole, code := growth, growth
	whole.Kind, code.Profile = "class-growth", "growth"
	unused := func(place string, came int64) finding {
		return finding{Kind: "unused-capacity", Place: place, Profile: "refs", group: standing, Details: []string{"own"},
			unused: &capacity{"2.0 MB of 3.0 MB", []string{"why"}, came}}
	}
	const joined = at + ": came; capacity that holds nothing: 2.0 MB of 3.0 MB"
	for _, test := range []struct {
		all  []finding
		want []string
	}{
		{[]finding{growth, unused(at, mb)}, []string{joined + "; why"}},
		{[]finding{whole, unused(at, mb)}, []string{joined + "; why"}},
		{[]finding{unused(at+" > T.b", mb/2), growth}, []string{joined + " > T.b; why"}},
		{[]finding{growth, unused(at+" > T.b", mb/2-1)}, []string{at + ": came", at + " > T.b: own"}},
		{[]finding{code, unused(at, mb)}, []string{at + ": came", at + ": own"}},
		{[]finding{growth, unused("main.a", mb)}, []string{at + ": came", "main.a: own"}},
		{[]finding{growth, unused("main.a > []T2", mb)}, []string{at + ": came", "main.a > []T2: own"}},
	} {
		var got []string
		for _, x := range joinUnused(test.all) {
			got = append(got, x.Place+": "+strings.Join(x.Details, "; "))
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}
