// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The number of collections of a process never falls. If it does in a watch, the
// server has restarted, or several answer at one URL, and the difference of two
// moments would be that of two processes.

package main

import (
	"errors"
	"fmt"
)

var errOtherProcess = errors.New("the server restarted, or several answer at this URL")

// sameProcess returns an error if another process has answered at moment i, and
// removes what it has answered.
func (f *fetcher) sameProcess(i int) error {
	if n, ok := f.take.collections(i); ok && n < f.collections {
		f.take.remove(i)
		return errOtherProcess
	} else if ok {
		f.collections = n
	}
	return nil
}

// collections returns how many collections the process had made at a moment, if
// that is known.
func (t *take) collections(i int) (n int64, ok bool) {
	var f facts
	f.addMoment(t, i, 0)
	ok = t.files[numbered("memory", i)] != nil || t.files[heapText(i)] != nil
	return f.Moments[0].Cycle, ok
}

// remove removes the files of a moment, and of the last recording, which is
// right before the last moment.
func (t *take) remove(i int) {
	for _, name := range spacedProfiles {
		delete(t.files, numbered(name, i))
	}
	for _, name := range []string{heapText(i), "refs.2.pb.gz", "heap.2.pb.gz"} {
		delete(t.files, name)
	}
}

// heapText is the name of the file with runtime.MemStats at a moment.
func heapText(i int) string { return fmt.Sprintf("heap.%d.txt", i) }
