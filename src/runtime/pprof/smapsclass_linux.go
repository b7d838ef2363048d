// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file says what a mapping is. The kernel names files and the heap.
// Memory without a name is that
//
//   - of the program, if package syscall reported it (runtime/programmemory.go);
//   - of the file before it, if it begins where a file with code ends: variables
//     that begin as zero;
//   - of an arena of malloc, if it has the form that glibc gives an arena: it
//     begins at a multiple of arenaSize, was mapped with MAP_NORESERVE, as Go
//     never does, and what is not in use of it is not accessible up to the next
//     multiple;
//   - of a thread's stack, if a thread's stack pointer is in it, and it is not
//     Go's heap.
//
// All else is Go's, or counts as Other.

package pprof

import (
	"bytes"
	"internal/goarch"
	"slices"
	_ "unsafe" // for linkname
)

// arenaSize is glibc's HEAP_MAX_SIZE.
const arenaSize = 1<<20 + (64<<20-1<<20)*(goarch.PtrSize/8)

// A smapsDivision divides mappings.
type smapsDivision struct {
	memory  foreignMemory
	program [][2]uintptr // ranges that the program has mapped, in order
	stacks  []uintptr    // addresses in stacks of threads

	file      *mappedFile // the mapping before
	fileLimit uintptr

	pages  pagemap
	onMaps bool // of maps, which has no sizes and flags
}

func newSmapsDivision(onMaps bool) *smapsDivision {
	d := &smapsDivision{program: make([][2]uintptr, 1024), stacks: threadStacks(), onMaps: onMaps}
	d.program = d.program[:pprof_programMemory(d.program)]
	return d
}

// prefixes that glibc and bionic give memory, if they name it (with glibc
// 2.39, by the tunable glibc.mem.decorate_maps).
var (
	heapNames  = []string{"[anon: glibc: malloc", "[anon: glibc: loader malloc", "[anon:libc_malloc", "[anon:scudo"}
	stackNames = []string{"[anon: glibc: pthread", "[anon:stack_and_tls", "[stack"}
	sharedDirs = []string{"/memfd:", "/dev/shm/", "/SYSV", "[anon_shmem"}
)

func startsWith(name []byte, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return len(name) >= len(p) && string(name[:len(p)]) == p })
}

// add adds a mapping to its class. The other parameter is the next mapping.
func (d *smapsDivision) add(m, next *smapsMapping) {
	if m.limit == 0 {
		return // before the first
	}
	d.memory.mappings++
	if d.onMaps {
		m.rss = d.pages.resident(m)
	}
	file, limit := d.file, d.fileLimit
	d.file = nil
	switch shared := m.perms[3] == 's'; {
	case startsWith(m.name, sharedDirs), shared && bytes.HasPrefix(m.name, []byte("/dev/zero")):
		d.memory.shared.file(m.name).bytes += m.rss
	case bytes.HasPrefix(m.name, []byte("/")):
		d.file, d.fileLimit = d.memory.files.file(m.name), m.limit
		d.file.bytes += m.rss
		d.file.code = d.file.code || m.perms[2] == 'x'
	case string(m.name) == "[heap]":
		d.memory.heap += m.rss
	case startsWith(m.name, heapNames):
		d.memory.arenas += m.rss
	case startsWith(m.name, stackNames):
		d.memory.stacks += m.rss
	case len(m.name) != 0 && !bytes.HasPrefix(m.name, []byte("[anon:")):
		// vdso and the like
	case file != nil && file.code && limit == m.base:
		program := d.programPart(m)
		d.memory.program += program
		file.bytes += m.rss - program
	default:
		d.addAnonymous(m, next)
	}
}

func (d *smapsDivision) addAnonymous(m, next *smapsMapping) {
	if m.rss == 0 {
		return
	}
	program := d.programPart(m)
	d.memory.program += program
	switch {
	case program != 0:
	case d.isArena(m, next):
		d.memory.arenas += m.rss
	case d.isStack(m):
		d.memory.stacks += m.rss
	}
}

func (d *smapsDivision) isArena(m, next *smapsMapping) bool {
	end := (m.limit + arenaSize - 1) &^ (arenaSize - 1)
	return (m.noReserve || d.onMaps) && m.base%arenaSize == 0 && m.perms[1] == 'w' &&
		(end == m.limit || next.base == m.limit && next.limit >= end && string(next.perms[:3]) == "---")
}

func (d *smapsDivision) isStack(m *smapsMapping) bool {
	return slices.ContainsFunc(d.stacks, func(sp uintptr) bool { return m.base <= sp && sp < m.limit })
}

// programPart returns the resident bytes of a mapping that are the program's.
// The kernel may have made one mapping of them and others beside them.
func (d *smapsDivision) programPart(m *smapsMapping) (bytes uint64) {
	i, _ := slices.BinarySearchFunc(d.program, m.base, func(r [2]uintptr, addr uintptr) int {
		if r[1] <= addr {
			return -1
		}
		return 1
	})
	for ; i < len(d.program) && d.program[i][0] < m.limit; i++ {
		from, to := max(d.program[i][0], m.base), min(d.program[i][1], m.limit)
		if from == m.base && to == m.limit {
			return m.rss
		}
		bytes += d.pages.inCore(from, to)
	}
	return min(bytes, m.rss)
}

// pprof_programMemory and pprof_inHeap are defined in runtime/programmemory.go.
//
//go:linkname pprof_programMemory runtime.pprof_programMemory
func pprof_programMemory(p [][2]uintptr) int

//go:linkname pprof_inHeap runtime.pprof_inHeap
func pprof_inHeap(addr uintptr) bool
