// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file finds arenas of malloc among mappings without a name. glibc's heap
// of an arena begins at a multiple of arenaSize with a header, struct heap_info
// of malloc/arena.c, which says how much of it is in use. Where it cannot be
// read, the form of the mapping has to do: it begins there, was mapped with
// MAP_NORESERVE (which maps does not tell), as Go never does, and what is not in
// use is not accessible up to the next multiple.

package pprof

import (
	"internal/goarch"
	"os"
)

// arenaSize is glibc's HEAP_MAX_SIZE.
const arenaSize = 1<<20 + (64<<20-1<<20)*(goarch.PtrSize/8)

// arenaPart returns the resident bytes of a mapping that are in arenas. An arena
// may be several mappings, after mlock or madvise of a part of it.
func (d *smapsDivision) arenaPart(m, next *smapsMapping) (bytes uint64) {
	if m.perms[1] != 'w' || m.perms[3] != 'p' || uint64(m.limit-m.base) > maxPages || pprof_inHeap(m.base) {
		return 0
	}
	if d.mem == nil {
		if d.hasArenaForm(m, next) {
			return m.rss
		}
		return 0
	}
	for at := m.base; at < m.limit; {
		if at < d.arenaLimit {
			bytes += d.part(m, at, d.arenaLimit)
			at = d.arenaLimit
			continue
		}
		base := (at + arenaSize - 1) &^ (arenaSize - 1)
		if base < at || base >= m.limit {
			break
		}
		size := d.arenaInUse(base)
		d.arenaLimit = base + size
		at = base + max(size, 1)
		bytes += d.part(m, base, base+size)
	}
	return bytes
}

// arenaInUse returns how many of the bytes from base on are an arena's, or 0 if
// none are.
func (d *smapsDivision) arenaInUse(base uintptr) uintptr {
	var info struct{ arena, previous, size, accessible uintptr }
	if !peek(d, base, &info) {
		return 0
	}
	page := uintptr(os.Getpagesize())
	switch {
	case info.arena%arenaSize == 0 || info.arena%arenaSize >= page: // the arena itself follows a header
	case info.previous%arenaSize != 0 || info.previous == 0 && info.arena&^(arenaSize-1) != base:
	case info.size == 0 || info.size > info.accessible || info.accessible > arenaSize || info.accessible%page != 0:
	default:
		return info.accessible
	}
	return 0
}

func (d *smapsDivision) hasArenaForm(m, next *smapsMapping) bool {
	end := (m.limit + arenaSize - 1) &^ (arenaSize - 1)
	return (m.noReserve || d.onMaps) && m.base%arenaSize == 0 && (end == m.limit || next.base == m.limit && next.limit >= end && string(next.perms[:3]) == "---")
}
