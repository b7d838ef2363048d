// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import "testing"

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
	if got := findUnused(f)[0].Details; len(got) != 1 || got[0] != "allocated by main.get a/b.go:84" {
		t.Errorf("details %q", got)
	}
	f.Moments[spaced].Classes[live], f.Moments[spaced+1].Classes[live] = mb, mb
	if got := findUnused(f)[0].Details; len(got) != 2 || got[1] != "at most 1.0 MB of it is resident" {
		t.Errorf("details of a part without pages %q", got)
	}
}
