// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The program's own mappings, which the growth profile shows with the kind
// mmap.

package runtime

import _ "unsafe" // for linkname

// recordGrowthOfMapping records that the goroutine has replaced a mapping by
// another one. The parameters from and to are the sizes of the two mappings, in
// bytes. A size of 0 means that there is no such mapping. populated reports
// whether all pages of the new mapping got memory at once. On Linux except
// s390x, package syscall calls recordGrowthOfMapping for its own system calls
// and those of golang.org/x/sys (syscall/mapping_linux.go).
//
//go:linkname recordGrowthOfMapping
func recordGrowthOfMapping(from, to uintptr, populated bool) {
	flushGrowth() // count pending events of other operations
	from, to = alignUp(from, physPageSize), alignUp(to, physPageSize)
	if from > to {
		recordGrowth(growthMmap, growthUnmapped, from-to)
	} else if from < to {
		recordGrowth(growthMmap, growthMapped, to-from)
		if populated {
			recordGrowth(growthMmap, growthResident, to-from)
		}
	}
	flushGrowth()
}
