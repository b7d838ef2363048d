// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import "runtime"

// spike holds a cache of 64 MiB, and once makes a report that needs 256 MiB for
// a moment. The process stays large, and a later heap profile shows only the
// cache.
func spike(r recorder) error {
	cache := fillCache(64 << 20)
	if err := r.save("base.", "heap", "peak", "growth"); err != nil {
		return err
	}
	_ = makeReport(256 << 20)
	runtime.GC()
	runtime.GC()
	err := r.save("", "heap", "peak", "growth")
	runtime.KeepAlive(cache)
	return err
}

//go:noinline
func fillCache(n int) [][]byte { return blocks(n, 16<<10) }

// makeReport returns the total length of the report's lines, which are all in
// memory at the same time.
//
//go:noinline
func makeReport(n int) (length int) {
	for _, line := range reportLines(n) {
		length += len(line)
	}
	return length
}

//go:noinline
func reportLines(n int) [][]byte {
	var lines [][]byte
	for range n / 1024 {
		lines = append(lines, make([]byte, 1024))
	}
	return lines
}

// blocks returns n bytes in blocks of size bytes. It has written to all pages
// of the blocks.
func blocks(n, size int) [][]byte {
	all := make([][]byte, n/size)
	for i := range all {
		all[i] = make([]byte, size)
		for k := 0; k < size; k += 1024 {
			all[i][k] = 1
		}
	}
	return all
}
