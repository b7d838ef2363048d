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
		"main.encoder.buf []uint8":           because + arraysStay,
		"[][]main.key[elem]":                 because + arraysStay,
		"map[string]int[table]":              because + tablesStay,
		"map[string][]uint8[table]":          because + tablesStay,
		"main.builder.buf strings.Builder":   "",
		"map[string]*main.page[value]":       "",
		"chan *main.page[buffer]":            "",
		"main.cache > map[string]int[table]": "",
	} {
		if got := strings.Join((&element{Name: name}).unusedReason(), "; "); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestJoinUnused has growth at a path, and capacity at that and other paths.
func TestJoinUnused(t *testing.T) {
	growth := finding{Kind: "live-growth", Place: "main.a > []T", Bytes: mb, Details: []string{"came"}}
	unused := func(place string) finding {
		return finding{Kind: "unused-capacity", Place: place, Text: "2.0 MB of 3.0 MB at one path is capacity that holds nothing.", Bytes: 2 * mb,
			Details: []string{because + arraysStay, allocatedBy + "main.f"}}
	}
	for _, test := range []struct {
		all  []finding
		want []string
	}{
		{[]finding{growth, unused("main.a > []T")}, []string{"main.a > []T: came; 2.0 MB of 3.0 MB there is capacity that holds nothing; " + because + arraysStay}},
		{[]finding{unused("main.a > []T > T.b"), growth}, []string{"main.a > []T: came; 2.0 MB of 3.0 MB there > T.b is capacity that holds nothing; " + because + arraysStay}},
		{[]finding{growth, unused("main.a")}, []string{"main.a > []T: came", "main.a: " + because + arraysStay + "; " + allocatedBy + "main.f"}},
		{[]finding{growth, unused("main.a > []T2")}, []string{"main.a > []T: came", "main.a > []T2: " + because + arraysStay + "; " + allocatedBy + "main.f"}},
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
