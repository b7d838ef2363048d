// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The program's own mappings, which the growth profile shows as kind mmap.

package runtime

import _ "unsafe" // for linkname

// noteMapping notes that the goroutine has made a mapping of a length to have another, in
// bytes, 0 if there is none, and whether what is mapped has got memory at once. Package
// syscall calls it, on Linux, for its own system calls and those of golang.org/x/sys.
//
//go:linkname noteMapping
func noteMapping(from, to uintptr, populated bool) {
	settleGrowth() // what others left
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
