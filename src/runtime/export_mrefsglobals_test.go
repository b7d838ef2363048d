// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Exports for mrefsglobals_test.go.

package runtime

import (
	"internal/goarch"
	"unsafe"
)

// RefsGlobal is a refsGlobal.
type RefsGlobal struct {
	Addr, Size uintptr
	Type       unsafe.Pointer // *abi.Type
	Pkg, Name  string
	Runtime    bool
}

// RefsGlobals returns the table of globals, which it reads on the system stack.
func RefsGlobals() []RefsGlobal {
	all := make([]RefsGlobal, refsGlobalCount())
	systemstack(func() {
		for i := range all {
			g := refsGlobalAt(i)
			all[i] = RefsGlobal{g.addr, g.size, unsafe.Pointer(g.typ), g.pkg, g.name, g.runtime}
		}
	})
	return all
}

// RootWords returns the addresses of the words of the first module's data and
// bss that the garbage collector takes for pointers, in the order of addresses.
func RootWords() (data, bss []uintptr) {
	md := &firstmoduledata
	return maskedWords(md.data, md.edata, md.gcdatamask), maskedWords(md.bss, md.ebss, md.gcbssmask)
}

// maskedWords returns the addresses of the words from start up to end whose
// bits are set in mask.
func maskedWords(start, end uintptr, mask bitvector) (words []uintptr) {
	for i := uintptr(0); i < (end-start)/goarch.PtrSize; i++ {
		if mask.ptrbit(i) != 0 {
			words = append(words, start+i*goarch.PtrSize)
		}
	}
	return words
}
