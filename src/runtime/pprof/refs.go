// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The refs profile reports the live objects by the paths of references that
// lead to them. writeRefs takes a recording from the runtime
// (internal/profilerecord/refs.go) and turns it into paths. Except for the
// names of variables, a recording has only numbers and pointers. Package
// internal/refpath names the elements of paths. refsproto.go writes the paths
// as a protocol buffer, and refstext.go writes them as text. Requests that
// arrive at the same time share a recording (refsqueue.go).

package pprof

import (
	"fmt"
	"internal/profilerecord"
	"io"
	"sync/atomic"
	"time"
	_ "unsafe" // for linkname
)

var refsProfile = &Profile{
	name:  "refs",
	count: countRefs,
	write: writeRefs,
}

// refsCount is the number of samples of the latest recording.
var refsCount atomic.Int64

// countRefs returns the number of samples of the latest recording, or 0 if
// there was none. It does not record, because code that lists all profiles
// calls it.
func countRefs() int {
	return int(refsCount.Load())
}

// writeRefs records and writes a refs profile.
func writeRefs(w io.Writer, debug int) error {
	if debug > 0 {
		return writeRefsWith(w, writeRefsText)
	}
	return writeRefsWith(w, writeRefsProto)
}

// writeRefsWith records, and writes the profile with write.
func writeRefsWith(w io.Writer, write func(io.Writer, *refs) error) error {
	defer pprof_setRecording(pprof_setRecording(true))
	r, err := refsRequests.take(false)
	if err != nil {
		return fmt.Errorf("runtime/pprof: refs: %w", err)
	}
	return write(w, r)
}

// refsComments returns the comments on the recording itself. Each line names
// the GC cycle, because the difference of two profiles has the comments of
// both.
func refsComments(p *profilerecord.RefsProfile) []string {
	cycle := fmt.Sprintf("GC cycle %d: ", p.Cycle)
	return []string{
		cycle + fmt.Sprintf("%d bytes live", p.Live),
		cycle + fmt.Sprintf("%d bytes scanned", p.Scan),
		cycle + fmt.Sprintf("%d bytes unused", refsUnused(p)),
		cycle + fmt.Sprintf("recorded in %v, added stop-the-world time %v", time.Duration(p.Duration), time.Duration(p.Paused)),
		cycle + fmt.Sprintf("memory used for recording: %d bytes", p.Memory),
		cycle + fmt.Sprintf("lost for want of memory: %d bytes in %d objects", p.LostBytes, p.LostObjects),
	}
}

// refsUnused returns the number of bytes to which no reference refers.
func refsUnused(p *profilerecord.RefsProfile) (n int64) {
	for i := range p.Nodes {
		n += p.Nodes[i].Unused
	}
	return n
}

// hasRefsLimit, pprof_refs and pprof_setRecording are defined in
// runtime/mrefslimit.go, runtime/mrefsprofile.go and runtime/mrefshooks.go.
//
//go:linkname hasRefsLimit runtime.hasRefsLimit
func hasRefsLimit() bool

//go:linkname pprof_refs runtime.pprof_refs
func pprof_refs(sites bool) (p *profilerecord.RefsProfile, failed string)

//go:linkname pprof_setRecording runtime.pprof_setRecording
func pprof_setRecording(on bool) (was bool)
