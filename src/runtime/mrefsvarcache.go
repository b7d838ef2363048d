// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// A cache of decoded entries of variables. A P keeps them for the next frame or
// closure of the same function.
//
// The compiler's entries (mrefsvars.go) have no fixed size and can only be
// searched from the first one on. A table has the entries of one function that
// are live in one stack map, as records for binary search. While a table is
// kept, the entries need not be read again for each word of each goroutine.
//
// Tables are contiguous in a block off the heap. When the block is full, an
// empty one of twice the size replaces it. A block of refsVarRecordsKept
// records or more is emptied instead, unless a single table needs more. The
// field gen of the cache counts how often a block has been made or emptied: the
// number of a table is valid as long as gen does not change. If a table cannot
// be made, the entries themselves are read.
//
// A P uses its own cache while marking, without locks, and cannot be preempted
// while it does.

package runtime

import (
	"internal/abi"
	"internal/goarch"
	"internal/runtime/refs"
	"internal/runtime/sys"
	"internal/vartable"
	"unsafe"
)

const (
	refsVarIndexLen    = 1 << 10 // number of places in the index
	refsVarProbes      = 4       // number of places in which a table may be
	refsVarRecordsMin  = 1 << 8  // number of records of the first block
	refsVarRecordsKept = 1 << 15 // 1 MiB of records; a block of this number or more is emptied
	refsVarRecordsMax  = 1 << 19 // 16 MiB of records; no block has more
)

// refsVarCache has the tables of a P.
type refsVarCache struct {
	_       sys.NotInHeap
	block   *refsVarBlock
	len     uint32 // number of records for which block has room
	n       uint32 // number of records in use; record 0 is not used, because 0 stands for no table
	gen     uint32 // how often a block has been made or emptied
	full    bool   // there is no memory for a larger block
	largest uint32 // number of records of the largest table
	decoded uint64 // number of entries that have been read
}

// refsVarBlock is the memory of the tables: an index of their numbers, and then
// the records.
type refsVarBlock struct {
	_     sys.NotInHeap
	index [refsVarIndexLen]uint32
}

// refsVarTable is the first record of a table. The records of entries follow
// it: captured variables before record args, then arguments before record
// local, then locals before record end.
type refsVarTable struct {
	_     sys.NotInHeap
	data  uintptr // address of the function's entries
	types uintptr // address of the types of the function's module
	m     int32   // index of the stack map, or -1 if there is none
	args  uint32
	local uint32
	end   uint32
}

// refsVarRecord is an entry that is live. It has the fields of a
// vartable.FrameEntry except Live, the place and the name.
type refsVarRecord struct {
	_            sys.NotInHeap
	at           uint32 // distance of the entry from refsVarTable.data
	position     uint32
	count        uint32
	typ          uint32
	itab         uint32
	dictPosition uint32
	dictWord     uint32
	form         uint8
	dict         uint8  // place, which has other bits, with refsDictKnown, refsDictLive and refsNamed
	inline       uint16 // depth, above the bits of the hash
}

// Bits of refsVarRecord.dict.
const (
	refsDictKnown = 1 << iota
	refsDictLive
	refsNamed // the variable has a name
)

// recordAt returns record i of the block.
func (c *refsVarCache) recordAt(i uint32) *refsVarRecord {
	p := unsafe.Pointer(uintptr(unsafe.Pointer(c.block)) + unsafe.Sizeof(refsVarBlock{}))
	return (*refsVarRecord)(unsafe.Pointer(uintptr(p) + uintptr(i)*unsafe.Sizeof(refsVarRecord{})))
}

// tableAt returns table t, whose number is that of its first record.
func (c *refsVarCache) tableAt(t uint32) *refsVarTable {
	return (*refsVarTable)(unsafe.Pointer(c.recordAt(t)))
}

// refsVarBlockSize returns the size in bytes of a block with the given number
// of records.
func refsVarBlockSize(records uint32) uintptr {
	return unsafe.Sizeof(refsVarBlock{}) + uintptr(records)*unsafe.Sizeof(refsVarRecord{})
}

// free frees the memory of the cache.
func (c *refsVarCache) free() {
	if c.block != nil {
		refsSysFree(unsafe.Pointer(c.block), refsVarBlockSize(c.len))
	}
	*c = refsVarCache{}
}

// findVar is refsFindVar, but searches a table, unless none can be made.
//
//go:nowritebarrierrec
func (c *refsVarCache) findVar(f funcInfo, place uint8, pos uintptr, m int32) (v refs.Variable, ok bool) {
	if t := c.table(f, m); t != 0 {
		return c.search(t, place, pos)
	}
	return refsFindVar(f, place, pos, m)
}

// capturedAt returns the captured variable that has the word at pos of closures
// of f.
//
//go:nowritebarrierrec
func (c *refsVarCache) capturedAt(f funcInfo, pos uintptr) (v refs.Variable, ok bool) {
	return c.findVar(f, vartable.PlaceCaptured, pos, -1)
}

// table returns the number of the table of f for stack map m, and makes the
// table if there is none. It returns 0 if there is no table and it cannot make
// one.
//
//go:nowritebarrierrec
func (c *refsVarCache) table(f funcInfo, m int32) uint32 {
	if !f.valid() {
		return 0
	}
	data := uintptr(funcdata(f, abi.FUNCDATA_FrameVars))
	if data == 0 {
		return 0
	}
	h := refsVarHash(data, m)
	if c.block != nil {
		for i := range uint32(refsVarProbes) {
			t := c.block.index[(h+i)%refsVarIndexLen]
			if t == 0 {
				break
			}
			if table := c.tableAt(t); table.data == data && table.m == m {
				return t
			}
		}
	}
	return c.add(f, data, m, h)
}

// refsVarHash returns a hash of the address of entries and a stack map.
func refsVarHash(data uintptr, m int32) uint32 {
	return (uint32(data)*0x9e3779b1 ^ uint32(m)*0x85ebca6b) >> 16
}

// add makes the table of f for stack map m, and returns its number, or 0 if it
// cannot make one. The entries of f are at data, and h is the refsVarHash of
// data and m.
//
//go:nowritebarrierrec
func (c *refsVarCache) add(f funcInfo, data uintptr, m int32, h uint32) uint32 {
	for c.block != nil || c.makeRoom() {
		first := c.n
		if t, fits := c.decode(f, data, m); fits {
			if t != 0 {
				c.enter(t, h)
			}
			return t
		}
		c.n = first
		if !c.makeRoom() {
			return 0
		}
	}
	return 0
}

// enter puts table t into the index. It may take the place of another table.
//
//go:nowritebarrierrec
func (c *refsVarCache) enter(t, h uint32) {
	i := uint32(0)
	for i < refsVarProbes-1 && c.block.index[(h+i)%refsVarIndexLen] != 0 {
		i++
	}
	c.block.index[(h+i)%refsVarIndexLen] = t
}

// makeRoom empties the block, or replaces it with a larger one. It reports
// whether there is more room than before.
//
//go:nowritebarrierrec
func (c *refsVarCache) makeRoom() bool {
	if c.len >= refsVarRecordsKept && c.n > 1 {
		clear(c.block.index[:])
		c.n = 1
		c.gen++
		return true
	}
	n := max(2*c.len, refsVarRecordsMin)
	if c.full || n > refsVarRecordsMax {
		return false
	}
	block := (*refsVarBlock)(refsSysAlloc(refsVarBlockSize(n)))
	if block == nil {
		c.full = true
		return false
	}
	if c.block != nil {
		refsSysFree(unsafe.Pointer(c.block), refsVarBlockSize(c.len))
	}
	c.block, c.len, c.n = block, n, 1
	c.gen++
	return true
}

// decode makes a table of the entries at data, and returns its number, or 0 if
// the entries are not in the order that search needs. fits is false if the
// block has no room for the table.
//
//go:nowritebarrierrec
func (c *refsVarCache) decode(f funcInfo, data uintptr, m int32) (t uint32, fits bool) {
	t = c.n
	if c.n == c.len {
		return 0, false
	}
	c.n++
	table := c.tableAt(t)
	*table = refsVarTable{data: data, types: f.datap.types, m: m, args: c.n, local: c.n}
	r := newRefsVarReader(f.datap, data)
	var v refs.Variable
	place, start := uint8(vartable.PlaceCaptured), ^uintptr(0)
	for r.next(&v, m) {
		c.decoded++
		if !v.Live {
			continue
		}
		if c.n == c.len {
			return 0, false
		}
		if v.Place != place {
			if place > v.Place {
				c.n = t
				return 0, true
			}
			place, start = v.Place, ^uintptr(0)
			if place == vartable.PlaceLocal {
				start = 0
			}
		}
		if v.Start() != start && (place == vartable.PlaceLocal) == (v.Start() < start) {
			c.n = t
			return 0, true
		}
		start = v.Start()
		c.recordAt(c.n).set(&v.FrameEntry)
		c.n++
		if place < vartable.PlaceArg {
			table.args = c.n
		}
		if place < vartable.PlaceLocal {
			table.local = c.n
		}
	}
	table.end = c.n
	c.largest = max(c.largest, c.n-t)
	return t, true
}

// set makes e the record of v.
//
//go:nowritebarrierrec
func (e *refsVarRecord) set(v *vartable.FrameEntry) {
	*e = refsVarRecord{
		at:           uint32(v.At),
		position:     v.Position,
		count:        v.Count,
		typ:          v.Type,
		itab:         v.Itab,
		dictPosition: v.Dict.Position,
		dictWord:     v.Dict.Word,
		form:         v.Form,
		inline:       uint16(v.InlineDepth)<<vartable.HashBits | v.InlineHash,
		dict:         v.Dict.Place,
	}
	if v.Dict.Known {
		e.dict |= refsDictKnown
	}
	if v.Dict.Live {
		e.dict |= refsDictLive
	}
	if v.Named {
		e.dict |= refsNamed
	}
}

// search returns the variable of table t at pos, as refsFindVar does, but
// without its name.
//
//go:nowritebarrierrec
func (c *refsVarCache) search(t uint32, place uint8, pos uintptr) (v refs.Variable, ok bool) {
	table := c.tableAt(t)
	lo, end := t+1, table.args
	switch place {
	case vartable.PlaceArg:
		lo, end = table.args, table.local
	case vartable.PlaceLocal:
		lo, end = table.local, table.end
	}
	hi := end
	for lo < hi {
		mid := lo + (hi-lo)/2
		start := uintptr(c.recordAt(mid).position) * goarch.PtrSize
		if refs.Reaches(place, start, pos) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	if lo == end {
		return v, false
	}
	e := c.recordAt(lo)
	v.Entry = table.data + uintptr(e.at)
	if e.typ != 0 {
		v.Type = table.types + uintptr(e.typ)
	}
	v.FrameEntry = vartable.FrameEntry{
		At:          int(e.at),
		Place:       place,
		Form:        e.form,
		InlineDepth: uint8(e.inline >> vartable.HashBits),
		InlineHash:  e.inline & (1<<vartable.HashBits - 1),
		Live:        true,
		Named:       e.dict&refsNamed != 0,
		Position:    e.position,
		Count:       e.count,
		Type:        e.typ,
		Itab:        e.itab,
		Dict: vartable.FrameDict{
			Place:    e.dict &^ (refsDictKnown | refsDictLive | refsNamed),
			Live:     e.dict&refsDictLive != 0,
			Known:    e.dict&refsDictKnown != 0,
			Position: e.dictPosition,
			Word:     e.dictWord,
		},
	}
	return v, true
}
