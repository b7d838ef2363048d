// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build linux && (amd64 || arm64) && !race && !msan && !asan

package mallocprofile

/*
#cgo CFLAGS: -O2 -fomit-frame-pointer -fno-builtin-malloc -fno-plt
#cgo LDFLAGS: -ldl
#include "mallocprofile.h"

extern struct site *mallocprofileNextSite(struct site *);

static uint64_t load(uint64_t *p) { return __atomic_load_n(p, __ATOMIC_RELAXED); }
static void setInt(int *p, int v) { __atomic_store_n(p, v, __ATOMIC_RELAXED); }
*/
import "C"

import (
	"encoding/binary"
	"errors"
	"internal/godebug"
	"os"
	"runtime"
	"strings"
	"unsafe"
)

// The table is in runtime/callerofc_linux.s.
//
//go:cgo_export_static runtime.callerOfC mallocprofileGo

var labelled = godebug.New("#memprofilelabels")

func init() {
	if C.mallocprofileOff != 0 {
		unavailable("another malloc is in its place, because the linker hides this one, or it is in a library that comes later or that dlopen opened")
		return
	}
	if labelled.Value() == "1" {
		C.setInt(&C.mallocprofileLabels, 1)
	}
	C.setInt(&C.mallocprofileStarted, 1)
	register(count, read)
	extendGrowth(readMallocs)
	extendMemory(largeResident)
}

var roots = [...]string{
	C.ROOT_C_THREAD: "runtime/cgo/mallocprofile._CThread",
	C.ROOT_RUNTIME:  "runtime/cgo/mallocprofile._Runtime",
	C.ROOT_BEFORE:   "runtime/cgo/mallocprofile._BeforeGo",
	C.ROOT_LOST:     "runtime/cgo/mallocprofile._Lost",
}

// count returns the number of sites.
func count() (n int) {
	for s := C.mallocprofileNextSite(nil); s != nil; s = C.mallocprofileNextSite(s) {
		if C.load(&s.allocs) != 0 {
			n++
		}
	}
	return n
}

// read returns what is sampled at each site.
func read() (*blocks, error) {
	all := &blocks{rate: max(int64(C.mallocprofileRate()), 0), ownBytes: uint64(C.load(&C.mallocprofileMapped))}
	symbols := symbolTable{}
	for s := C.mallocprofileNextSite(nil); s != nil; s = C.mallocprofileNextSite(s) {
		var r site
		// Frees are read first, so that they are not more than allocations.
		frees, freeBytes := C.load(&s.frees), C.load(&s.freeBytes)
		allocs, allocBytes := C.load(&s.allocs), C.load(&s.allocBytes)
		if allocs == 0 {
			continue
		}
		r.values = [...]int64{objects(allocs), int64(allocBytes),
			objects(max(allocs, frees) - frees), int64(max(allocBytes, freeBytes) - freeBytes)}
		r.stack = symbols.stack(s)
		pcs := addresses(s)
		r.labels = labels(unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(pcs)), len(pcs)*8)), s.nLabels))
		all.sites = append(all.sites, r)
	}
	if len(all.sites) == 0 && runtime.MemProfileRate <= 0 {
		return nil, errors.New("runtime/cgo/mallocprofile: runtime.MemProfileRate is not positive")
	}
	return all, nil
}

// readMallocs returns what malloc has mapped at each site, and the rest of what
// the C library says.
func readMallocs() (all []mallocs) {
	rest := int64(C.mallocprofileSpace())
	known := rest != 0
	symbols := symbolTable{}
	for s := C.mallocprofileNextSite(nil); s != nil; s = C.mallocprofileNextSite(s) {
		m := mallocs{mapped: int64(C.load(&s.mapped)), unmapped: int64(C.load(&s.unmapped)), growths: int64(C.load(&s.growths))}
		if m.mapped == 0 && m.unmapped == 0 {
			continue
		}
		rest += m.unmapped - m.mapped
		m.stack = symbols.stack(s)
		all = append(all, m)
	}
	if known && rest != 0 {
		stack := []frame{{function: "runtime._GrowthUnattributed"}}
		all = append(all, mallocs{stack: stack, mapped: max(rest, 0), unmapped: max(-rest, 0)})
	}
	return all
}

// largeResident returns how much of the blocks with mappings of their own has
// pages and no name. By a tunable, glibc gives them one, which the profile knows.
func largeResident() int64 {
	if strings.Contains(os.Getenv("GLIBC_TUNABLES"), "glibc.mem.decorate_maps=1") {
		return 0
	}
	ranges := make([]C.struct_range, C.mallocprofileMappings(nil, 0)+16) // there may be more meanwhile
	n := min(int(C.mallocprofileMappings(unsafe.SliceData(ranges), C.size_t(len(ranges)))), len(ranges))
	all := make([][2]uintptr, n)
	for i, r := range ranges[:n] {
		all[i] = [2]uintptr{uintptr(r.base), uintptr(r.base) + uintptr(r.size)}
	}
	return residentIn(all)
}

// residentIn is defined in runtime/pprof.
//
//go:linkname residentIn
func residentIn(ranges [][2]uintptr) (bytes int64)

// addresses returns the return addresses of a site.
func addresses(s *C.struct_site) []uintptr {
	return unsafe.Slice((*uintptr)(unsafe.Add(unsafe.Pointer(s), unsafe.Sizeof(*s))), s.nC+s.nGo)
}

// stack returns the call stack of a site.
func (t *symbolTable) stack(s *C.struct_site) (stack []frame) {
	pcs := addresses(s)
	for _, pc := range pcs[:s.nC] {
		stack = append(stack, t.frame(pc))
	}
	stack = append(stack, goFrames(pcs[s.nC:])...)
	if name := roots[s.root]; name != "" {
		stack = append(stack, frame{function: name})
	}
	return stack
}

// goFrames returns the functions of Go that a call stack has, without those by
// which Go calls C.
func goFrames(pcs []uintptr) (stack []frame) {
	if len(pcs) == 0 {
		return nil
	}
	frames := runtime.CallersFrames(pcs)
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		switch f.Function {
		case "runtime.cgocall", "runtime.asmcgocall", "runtime.goexit", "":
			continue
		}
		stack = append(stack, frame{function: f.Function, file: f.File, line: int64(f.Line)})
	}
	return stack
}

// objects rounds a number of objects.
func objects(n C.uint64_t) int64 { return int64((n + C.OBJECT/2) / C.OBJECT) }

// labels returns keys and values.
func labels(text []byte) (list []string) {
	for len(text) > 0 {
		n := binary.NativeEndian.Uint16(text)
		list = append(list, string(text[2:2+n]))
		text = text[2+n:]
	}
	return list
}
