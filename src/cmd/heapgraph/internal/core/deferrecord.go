// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file finds the defer record to which a word belongs. It sorts the
// records and searches them, because a goroutine that defers in a loop may have
// millions.

package core

import (
	"internal/profilerecord"
	"slices"
)

// deferRecords has the addresses of the defer records of a goroutine.
type deferRecords struct {
	read   bool
	sorted []uint64
}

// deferRecord returns the address of the defer record that has a word. The
// parameter at is the address of the word, and val is its value. For the word
// that links a record to the next one, deferRecord returns the next one. If no
// record has the word, it returns val if val is the address of a record, and 0
// if not.
func (st *stackMarker) deferRecord(at, val uint64) uint64 {
	if !st.defers.read {
		st.readDefers()
	}
	list := st.defers.sorted
	i, ok := slices.BinarySearch(list, at)
	if !ok {
		i--
	}
	if i >= 0 && at-list[i] < st.off(profilerecord.CoreDeferSize) {
		if link := list[i] + st.off(profilerecord.CoreDeferLink); at == link {
			return st.word(link)
		}
		return list[i]
	}
	if _, ok := slices.BinarySearch(list, val); ok {
		return val
	}
	return 0
}

// readDefers reads the list of defer records.
func (st *stackMarker) readDefers() {
	st.defers.read = true
	st.defers.sorted = slices.Sorted(st.deferList(st.g))
}
