// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Locations and functions that are names: elements of paths (refsproto.go) and classes of
// memory (memorywrite.go). They have no address and one line, and a function without a
// system name: pprof takes a name with brackets for one of C++ else, and cuts it.

package pprof

// nameFunction writes the function id, which has a name, by its index in the string
// table, and nothing else.
func (b *profileBuilder) nameFunction(id int, name int64) {
	start := b.pb.startMessage()
	b.pb.uint64Opt(tagFunction_ID, uint64(id))
	b.pb.int64Opt(tagFunction_Name, name)
	b.pb.endMessage(tagProfile_Function, start)
}

// nameLine writes the location id, which is in a function that is a name.
func (b *profileBuilder) nameLine(id uint64, function int) {
	start := b.pb.startMessage()
	b.pb.uint64Opt(tagLocation_ID, id)
	b.pbLine(tagLocation_Line, uint64(function), 0)
	b.pb.endMessage(tagProfile_Location, start)
	b.flush()
}

// newString adds s, which nothing written later will look for, to the string table,
// and returns its index there. It is stringIndex for names of which there may be very
// many, each once.
func (b *profileBuilder) newString(s string) int64 {
	if s == "" {
		return 0
	}
	b.strings = append(b.strings, s)
	return int64(len(b.strings) - 1)
}
