// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Exports for mrefsvarcache_test.go.

package runtime

import (
	"internal/abi"
	"internal/goarch"
	"internal/runtime/refs"
	"internal/vartable"
	"unsafe"
)

// RefsVarCacheCheck compares the variables that a cache of decoded entries
// finds with those that the entries themselves give. It does so for the given
// number of functions of the program, for each of their stack maps, and for the
// words around each variable. It returns the number of words, the number of
// words for which the variables differ, and the number of entries that were
// read when each function was looked up once more.
func RefsVarCacheCheck(functions int) (words, differ int, again uint64) {
	c := (*refsVarCache)(refsSysAlloc(unsafe.Sizeof(refsVarCache{})))
	if c == nil {
		panic("no memory for a cache of variables")
	}
	defer func() {
		c.free()
		refsSysFree(unsafe.Pointer(c), unsafe.Sizeof(*c))
	}()
	md := &firstmoduledata
	for _, entry := range md.ftab[:min(len(md.ftab)-1, functions)] {
		f := funcInfo{(*_func)(unsafe.Pointer(&md.pclntable[entry.funcoff])), md}
		maps := int32(0)
		if p := (*stackmap)(funcdata(f, abi.FUNCDATA_LocalsPointerMaps)); p != nil {
			maps = p.n
		}
		for m := int32(-1); m < maps; m++ {
			n, wrong := c.check(f, m)
			words, differ = words+n, differ+wrong
			decoded := c.decoded
			c.findVar(f, vartable.PlaceLocal, 0, m)
			again += c.decoded - decoded
		}
	}
	return words, differ, again
}

// check compares the variables that c finds with those that the entries of f
// give.
func (c *refsVarCache) check(f funcInfo, m int32) (words, differ int) {
	p := uintptr(funcdata(f, abi.FUNCDATA_FrameVars))
	if p == 0 {
		return 0, 0
	}
	r := newRefsVarReader(f.datap, p)
	for v := (refs.Variable{}); r.next(&v, m); {
		for _, place := range []uint8{vartable.PlaceCaptured, vartable.PlaceArg, vartable.PlaceLocal} {
			for _, pos := range []uintptr{0, v.Start() - goarch.PtrSize, v.Start(), v.Start() + goarch.PtrSize} {
				want, wantOK := refsFindVar(f, place, pos, m)
				have, haveOK := c.findVar(f, place, pos, m)
				if !wantOK {
					want = refs.Variable{}
				}
				want.NameAt, want.NameSize = 0, 0 // needed only for names
				words++
				if want != have || wantOK != haveOK {
					differ++
				}
			}
		}
	}
	return words, differ
}
