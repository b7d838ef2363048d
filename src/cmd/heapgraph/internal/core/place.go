// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file finds the source lines of calls. A function has a table with the
// number of the file at each PC. The files of its compilation unit have
// consecutive entries in module.units, which are offsets in module.files.

package core

import "encoding/binary"

// A place is a line of a function.
type place struct {
	function, file string
	line           int32
}

// callPlace returns the place of the call that returns to pc: the innermost
// function if it is inlined. It returns false if pc is in no function.
func (p *process) callPlace(pc uint64) (place, bool) {
	f := p.functionAt(pc - 1)
	if pc == 0 || f == nil {
		return place{}, false
	}
	calls := p.calls(f, pc-1)
	return place{printedName(calls[len(calls)-1].function), f.file(pc - 1), max(0, f.pcValue(f.pcline, pc-1))}, true
}

// file returns the name of the file that has the code at pc, or "".
func (f *function) file(pc uint64) string {
	const none = 1<<32 - 1
	n := f.pcValue(f.pcfile, pc)
	at := 4 * (uint64(f.unit) + uint64(max(0, n)))
	if n < 0 || at+4 > uint64(len(f.m.units)) {
		return ""
	}
	off := binary.LittleEndian.Uint32(f.m.units[at:])
	if off == none {
		return ""
	}
	return nameIn(f.m.files, uint64(off))
}
