// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import "runtime"

// fragmentation loads records and keeps one in fifty. Few objects are then
// live, but nearly every span has some, and the memory between them can be used
// only for objects of the same size class.
func fragmentation(r recorder) error {
	if err := r.save("base.", "heap", "memory"); err != nil {
		return err
	}
	kept := keepSome(loadRecords(2_000_000))
	runtime.GC()
	runtime.GC()
	err := r.save("", "heap", "memory", "growth")
	runtime.KeepAlive(kept)
	return err
}

type record struct{ data [112]byte }

//go:noinline
func loadRecords(n int) []*record {
	all := make([]*record, n)
	for i := range all {
		all[i] = new(record)
	}
	return all
}

//go:noinline
func keepSome(all []*record) (kept []*record) {
	for i := 0; i < len(all); i += 50 {
		kept = append(kept, all[i])
	}
	return kept
}
