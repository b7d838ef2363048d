// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The program's own mappings, which the growth profile shows with the kind
// mmap.

package runtime

import _ "unsafe" // for linkname

// noteMapping notes that the goroutine has replaced a mapping of from bytes
// with one of to bytes; 0 bytes is no mapping. populated reports whether the
// new mapping got memory at once. On Linux, package syscall calls noteMapping
// for its own system calls and those of golang.org/x/sys.
//
//go:linkname noteMapping
func noteMapping(from, to uintptr, populated bool) {
	settleGrowth() // count events that other operations left
	from, to = alignUp(from, physPageSize), alignUp(to, physPageSize)
	if from > to {
		noteGrowth(growthMmap, growthUnmapped, from-to)
	} else if from < to {
		noteGrowth(growthMmap, growthMapped, to-from)
		if populated {
			noteGrowth(growthMmap, growthResident, to-from)
		}
	}
	settleGrowth()
}
