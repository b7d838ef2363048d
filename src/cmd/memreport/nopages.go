// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// A large object has no pages where the program has not written to it. The table
// has resident bytes, and paths of references have all bytes of objects. Where the
// two differ much, the text says so.

package main

import "fmt"

// noPagesPart is the part of the live heap without pages from which on a row says
// so. Tables of maps and buffers that are not full have less.
const noPagesPart = 0.25

// laterPart is the part by which the collection at the end of the watch finds more
// alive from which on a row says so, because the change is until then.
const laterPart = 0.1

// note returns what stands beside a row of the table.
func (f *facts) note(c class, note string) string {
	m := f.now()
	if c != live || m.Classes[resident] == 0 {
		return note
	}
	if without := m.Live - m.Classes[live]; without >= max(mega, int64(noPagesPart*float64(m.Live))) {
		note += fmt.Sprintf("; %s with what has no pages", formatSize(m.Live))
	}
	if n := f.lastWatched().Classes[live]; n-m.Classes[live] >= max(mega, int64(laterPart*float64(m.Classes[live]))) {
		note += fmt.Sprintf("; %s at the next one", formatSize(n))
	}
	return note
}

// residentOf says that most of so many bytes of live objects are not resident, if
// that is certain. For example, a channel's buffer has no pages before its first
// use.
func (f *facts) residentOf(bytes int64) []string {
	n, ok := f.now().Classes[live]
	n = max(n, f.lastWatched().Classes[live])
	if !ok || f.now().Classes[resident] == 0 || bytes < 2*n {
		return nil
	}
	return []string{fmt.Sprintf("at most %s of it is resident", formatSize(n))}
}
