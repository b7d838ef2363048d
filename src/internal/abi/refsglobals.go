// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package abi

// The table of globals names each variable with pointers in a module's data
// and bss. cmd/link/internal/ld/refsglobals.go writes it and
// runtime/mrefsglobals.go reads it; what both must agree on is here.
//
// All numbers are uint32 of the target's byte order unless called a varint,
// which is unsigned and of little endian groups of 7 bits.
//
//	header    version, entries in data, entries in bss, size of names
//	entries   those in data, then those in bss, by address
//	names     prefixes and names
//
// An entry is
//
//	offset    from the start of data or bss, in bit 0 whether the variable's
//	          package is one of the runtime's
//	type      offset from the module's types, or 0 if the binary lacks the type
//	name      offset in names
//
// A name is, all varints but the text: offset in names of its prefix, length,
// text. A prefix is length, text. Most names of a package share one prefix.
const (
	RefsGlobalsVersion    = 1
	RefsGlobalsHeaderSize = 4 * 4
	RefsGlobalsEntrySize  = 3 * 4
	RefsGlobalsRuntime    = 1 // bit 0 of an entry's offset
)
