// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package vartable

// The table of globals names each variable with pointers in a module's data and
// bss. All numbers are uint32 of the target's byte order unless called a
// varint.
//
//	header    version, entries in data, entries in bss, size of names in bytes
//	entries   those in data, then those in bss, by address
//	names     prefixes and names
//
// An entry is:
//
//	offset    from the start of data or bss; bit 0 says that profiles show the
//	          variable as one of the runtime's
//	type      offset from the module's types, or 0 if the binary lacks the type
//	name      offset in names
//
// A name is the offset in names of its prefix, and the length and the text of
// the rest. A prefix is its length and its text. In names, offsets and lengths
// are varints. Most names of a package share one prefix.
const (
	GlobalsVersion    = 1
	GlobalsHeaderSize = 4 * 4
	GlobalsEntrySize  = 3 * 4

	globalsRuntime = 1 // bit 0 of an entry's offset
)

// A Global is an entry of the table of globals.
type Global struct {
	Offset  uint32 // from the start of data or bss, in bytes; even
	Runtime bool   // profiles show the variable as one of the runtime's
	Type    uint32 // offset from the module's types, or 0 if the binary lacks the type
	Name    uint32 // offset in names
}

// A ByteOrder is the part of binary.ByteOrder that PutGlobals needs. Packages
// of the runtime cannot import encoding/binary.
type ByteOrder interface {
	PutUint32([]byte, uint32)
}

// AppendPrefix appends a prefix to names.
func AppendPrefix(names []byte, prefix string) []byte {
	return append(appendUvarint(names, uint32(len(prefix))), prefix...)
}

// AppendName appends a name to names. prefix is the offset of its prefix, and
// rest the text that follows the prefix.
func AppendName(names []byte, prefix uint32, rest string) []byte {
	return AppendPrefix(appendUvarint(names, prefix), rest)
}

// GlobalsSize returns the size of a table in bytes.
func GlobalsSize(entries, names int) int {
	return GlobalsHeaderSize + entries*GlobalsEntrySize + names
}

// PutGlobals writes a table to b. The entries for variables in the data section
// come first, and the parameter data is their number.
func PutGlobals(b []byte, order ByteOrder, data int, entries []Global, names []byte) {
	put := func(v uint32) {
		order.PutUint32(b, v)
		b = b[4:]
	}
	put(GlobalsVersion)
	put(uint32(data))
	put(uint32(len(entries) - data))
	put(uint32(len(names)))
	for _, g := range entries {
		if g.Runtime {
			g.Offset |= globalsRuntime
		}
		put(g.Offset)
		put(g.Type)
		put(g.Name)
	}
	copy(b, names)
}

// Globals is a table of globals. The zero value has no entries.
type Globals struct {
	data    int    // number of entries in data
	entries []byte // GlobalsEntrySize bytes each
	names   []byte
}

// GlobalsSizeAt returns the size in bytes of the table that starts with header.
// It returns 0 if the table has another version, or if the size does not fit
// into an int.
func GlobalsSizeAt(header *[GlobalsHeaderSize]byte) int {
	if native(header[0:]) != GlobalsVersion {
		return 0
	}
	entries := uint64(native(header[4:])) + uint64(native(header[8:]))
	size := GlobalsHeaderSize + entries*GlobalsEntrySize + uint64(native(header[12:]))
	if uint64(int(size)) != size || int(size) < 0 {
		return 0
	}
	return int(size)
}

// DecodeGlobals returns the table at the start of b, whose bytes are in the
// machine's order. If the table has another version or is longer than b, the
// result has no entries.
func DecodeGlobals(b []byte) (t Globals) {
	if len(b) < GlobalsHeaderSize {
		return t
	}
	header := (*[GlobalsHeaderSize]byte)(b)
	size := GlobalsSizeAt(header)
	if size == 0 || size > len(b) {
		return t
	}
	names := size - int(native(header[12:]))
	return Globals{data: int(native(header[4:])), entries: b[GlobalsHeaderSize:names], names: b[names:size]}
}

// Len returns the number of entries.
func (t *Globals) Len() int { return len(t.entries) / GlobalsEntrySize }

// Data returns the number of entries in data. These come before the others.
func (t *Globals) Data() int { return t.data }

// At returns entry i, which must be at least 0 and less than t.Len().
func (t *Globals) At(i int) Global {
	e := t.entries[i*GlobalsEntrySize:][:GlobalsEntrySize]
	offset := native(e)
	return Global{
		Offset:  offset &^ globalsRuntime,
		Runtime: offset&globalsRuntime != 0,
		Type:    native(e[4:]),
		Name:    native(e[8:]),
	}
}

// Name returns the name at an offset in names, as its prefix and the rest. It
// reports whether there is a name.
func (t *Globals) Name(offset uint32) (prefix, rest []byte, ok bool) {
	if uint64(offset) >= uint64(len(t.names)) {
		return nil, nil, false
	}
	at, next := uvarint(t.names, int(offset))
	rest, ok = t.text(uint64(next))
	if ok {
		prefix, ok = t.text(uint64(at))
	}
	return prefix, rest, ok
}

// text returns the text in names whose length is at the given offset. The
// length precedes the text.
func (t *Globals) text(at uint64) (text []byte, ok bool) {
	if at >= uint64(len(t.names)) {
		return nil, false
	}
	size, next := uvarint(t.names, int(at))
	if next > len(t.names) || uint64(size) > uint64(len(t.names)-next) {
		return nil, false
	}
	return t.names[next:][:size], true
}
