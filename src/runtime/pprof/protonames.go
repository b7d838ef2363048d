// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file writes locations and functions that are names: elements of paths
// (refsproto.go) and classes of memory (memorywrite.go). Such a location has
// one line and no address. Such a function has no system name. If it had one,
// pprof would take a name with brackets for a C++ name, and shorten it.

package pprof

// nameFunction writes the function with this id. It has a name, which is an
// index in the string table, and nothing else.
func (b *profileBuilder) nameFunction(id int, name int64) {
	start := b.pb.startMessage()
	b.pb.uint64Opt(tagFunction_ID, uint64(id))
	b.pb.int64Opt(tagFunction_Name, name)
	b.pb.endMessage(tagProfile_Function, start)
}

// nameLine writes the location with this id, in a function that nameFunction
// has written or in a function of a frame with the same name.
func (b *profileBuilder) nameLine(id uint64, function int) {
	start := b.pb.startMessage()
	b.pb.uint64Opt(tagLocation_ID, id)
	b.pbLine(tagLocation_Line, uint64(function), 0)
	b.pb.endMessage(tagProfile_Location, start)
	b.flush()
}

// newString adds s to the string table, without an entry for lookups, and
// returns its index there. It is used in place of stringIndex for names that
// occur once each, because there may be very many of them.
func (b *profileBuilder) newString(s string) int64 {
	if s == "" {
		return 0
	}
	b.strings = append(b.strings, s)
	return int64(len(b.strings) - 1)
}
