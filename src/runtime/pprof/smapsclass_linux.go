// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file says what a mapping is. The kernel names files and the heap.
// Memory without a name is that
//
//   - of the program, if package syscall reported it (runtime/programmemory.go);
//   - of the executable or library below it, as far as the program header says:
//     variables that begin as zero;
//   - of an arena of malloc, if that says so (arena_linux.go);
//   - of a thread's stack, if a thread's stack pointer is in it, and it is not
//     Go's heap.
//
// All else is Go's, or counts as Other.

package pprof

import (
	"io"
	"slices"
	_ "unsafe" // for linkname
)

// A smapsDivision divides mappings.
type smapsDivision struct {
	memory  foreignMemory
	program [][2]uintptr // ranges that the program has mapped, in order
	stacks  []uintptr    // addresses in stacks of threads

	image      *mappedFile // the latest executable or library
	imageLimit uintptr     // its end in memory
	fileLimit  uintptr     // the end of the latest mapping of a file
	arenaLimit uintptr     // the end of the latest arena

	mem    io.ReaderAt // memory of the process, or nil
	pages  pagemap
	onMaps bool // of maps, which has no sizes and flags
}

func newSmapsDivision() *smapsDivision {
	d := &smapsDivision{program: make([][2]uintptr, 1024), stacks: threadStacks()}
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
	switch shared := m.perms[3] == 's'; {
	case shared && (startsWith(m.name, sharedDirs) || m.isNamed("/dev/zero")):
		d.memory.shared.file(m.name).bytes += m.rss
	case m.isNamed("/"):
		d.addFile(m)
	case m.isNamed("socket:"): // the rest is a number
		d.memory.files.file([]byte("socket")).bytes += m.rss
	case len(m.name) != 0 && m.name[0] != '[':
		d.memory.files.file(m.name).bytes += m.rss
	case string(m.name) == "[heap]":
		d.memory.heap += m.rss
	case startsWith(m.name, heapNames):
		d.memory.arenas += m.rss
	case startsWith(m.name, stackNames):
		d.memory.stacks += m.rss
	case len(m.name) != 0 && !m.isNamed("[anon:"), m.isNamed("[anon: Go:"):
		// vdso and the like, and Go's own
	case m.rss != 0:
		d.addAnonymous(m, next)
	}
}

func (d *smapsDivision) addFile(m *smapsMapping) {
	file := d.memory.files.file(m.name)
	file.bytes += m.rss
	file.code = file.code || m.perms[2] == 'x'
	d.fileLimit = m.limit
	if m.first && m.perms[3] == 'p' && (file != d.image || m.base >= d.imageLimit) {
		if limit := d.imageEnd(m.base); limit != 0 || d.mem == nil {
			d.image, d.imageLimit = file, limit
		}
	}
}

func (d *smapsDivision) addAnonymous(m, next *smapsMapping) {
	program := d.programPart(m)
	d.memory.program += program
	image := min(d.imagePart(m), m.rss-program)
	if image != 0 {
		d.image.bytes += image
	}
	arenas := uint64(0)
	if program+image < m.rss {
		arenas = min(d.arenaPart(m, next), m.rss-program-image)
	}
	d.memory.arenas += arenas
	if program+image+arenas == 0 && d.isStack(m) {
		d.memory.stacks += m.rss
	}
}

// imagePart returns the resident bytes of a mapping that are variables of the
// latest executable or library. If its header cannot be read, they are what begins
// where its file ends.
func (d *smapsDivision) imagePart(m *smapsMapping) uint64 {
	switch {
	case d.image == nil || !d.image.code:
		return 0
	case d.mem == nil && m.base == d.fileLimit:
		return m.rss
	case m.base >= d.imageLimit:
		return 0
	}
	return d.part(m, m.base, d.imageLimit)
}

// part returns the resident bytes of a mapping between two addresses.
func (d *smapsDivision) part(m *smapsMapping, from, to uintptr) uint64 {
	from, to = max(from, m.base), min(to, m.limit)
	if from == m.base && to == m.limit {
		return m.rss
	}
	return d.pages.inCore(from, to)
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
		bytes += d.part(m, d.program[i][0], d.program[i][1])
	}
	return min(bytes, m.rss)
}

// pprof_programMemory and pprof_inHeap are defined in runtime/programmemory.go.
//
//go:linkname pprof_programMemory runtime.pprof_programMemory
func pprof_programMemory(p [][2]uintptr) int

//go:linkname pprof_inHeap runtime.pprof_inHeap
func pprof_inHeap(addr uintptr) bool
