// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import "testing"

func TestFindPools(t *testing.T) {
	// pool adds a pool that had some bytes, of which some went.
	pool := func(f *facts, had, gone int64, names ...string) {
		at := f.Refs
		for _, name := range names {
			c := &element{Name: name, Root: "global", Bytes: had - gone, Objects: 60, NewBytes: -gone, NewCount: -10}
			at.Children = append(at.Children, c)
			at = c
		}
	}
	testFindings(t, findPools, []findingTest{
		{"a variable", func(f *facts) { pool(f, 40*mb, 40*mb, "main.buffers", "sync.Pool.local *poolLocal") }, []string{"main.buffers"}},
		{"a field", func(f *facts) { pool(f, 40*mb, 21*mb, "main.server", "main.Server.pool.local *poolLocal") }, []string{"main.server"}},
		{"only the pool's own lists", func(f *facts) {
			pool(f, 40*mb, 40*mb, "sync.poolLocal.poolLocalInternal.private interface {}(*main.T)")
		},
			[]string{"sync.poolLocal.poolLocalInternal.private interface {}(*main.T)"}},
		{"in use", func(f *facts) { pool(f, 40*mb, 19*mb, "main.buffers", "sync.Pool.local *poolLocal") }, nil},
		{"small", func(f *facts) { pool(f, 24*mb, 24*mb, "main.buffers", "sync.Pool.local *poolLocal") }, nil},
		{"a cache", func(f *facts) { pool(f, 40*mb, 40*mb, "main.cache", "main.Cache.local *localCache") }, nil},
	})
}
