// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file writes a set: first the files that need no collection, and then
// those that take memory of the reserve.

package evidence

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/pprof"
	"strings"
	"time"
)

// cheap lists the profiles that need no collection, in the order in which they
// are written.
var cheap = []string{"goroutine", "heap", "peak", "growth", "memory"}

// recorded lists the profiles that record references.
var recorded = []string{"refs", "inuse"}

// graphLeast is the least reserve, in bytes, for which a heap graph is written.
// With less, the writer's buffers leave too little for the log of references.
const graphLeast = 16 << 20

// graphWait is the longest time to wait for a heap graph that the program is
// writing.
const graphWait = 10 * time.Second

// record writes a set for the reason.
func (w *watcher) record(u usage, now time.Time, reason string) {
	if u.limit > 0 {
		runtime_closeGate()
	}
	w.spare.release()
	s, err := w.folder.newSet(now)
	if err != nil {
		w.gate.openWide()
		w.written("", err)
		return
	}
	s.reserve = w.reserve.size()
	release := brake(u)
	w.recordCheap(s, u, now, reason)
	w.recordReferences(s)
	release()
	s.summary(u, now, reason)
	dir := s.close()
	w.folder.prune(w.MaxSets)
	w.written(dir, s.err)
}

// recordCheap writes the files that need no collection, and opens the gate. The
// allocations that wait there count in the heap profile.
func (w *watcher) recordCheap(s *setWriter, u usage, now time.Time, reason string) {
	s.waiting = waitingText()
	s.summary(u, now, reason)
	s.cgroup(w.meter.root, w.meter.group)
	runtime_countWaiting(true)
	for _, profile := range cheap {
		s.profile(profile)
	}
	runtime_countWaiting(false)
	s.waiting = waitingText() // with those that have come meanwhile
	s.waited = time.Since(now)
	s.summary(u, now, reason)
	w.gate.openWide()
}

// recordReferences writes the files that take memory of the reserve. If there
// is no reserve, it writes none of them.
func (w *watcher) recordReferences(s *setWriter) {
	if !w.reserve.held() {
		s.fail(errors.New("refs, inuse, heap.graph: memory is so short that the reserve could not be taken"))
		return
	}
	w.reserve.release()
	defer runtime_limitRecording(0, 0)
	for _, profile := range recorded {
		w.limitRecording()
		s.profile(profile)
	}
	if w.Reserve < graphLeast {
		s.fail(fmt.Errorf("heap.graph: takes a reserve of %d bytes", graphLeast))
		return
	}
	w.limitRecording()
	s.file("heap.graph", func(f io.Writer) error {
		g := pprof.HeapGraph{MemoryLimit: w.Reserve / 2}
		stats, err := g.Write(f)
		for begun := time.Now(); err == pprof.ErrHeapGraphBusy && time.Since(begun) < graphWait; {
			time.Sleep(10 * time.Millisecond)
			stats, err = g.Write(f)
		}
		if stats.Dropped > 0 {
			s.written = append(s.written, fmt.Sprintf("heap.graph: %d references are missing for want of memory", stats.Dropped))
		}
		return err
	})
}

// limitRecording limits the next recording to the reserve, and the large
// allocations in its cycle to a part of what is left to the memory limit.
func (w *watcher) limitRecording() {
	runtime_limitRecording(uint64(w.Reserve), w.meter.read(time.Now()).roomOfCycle())
}

// profile writes the profile with the given name.
func (s *setWriter) profile(name string) {
	s.file(name+".pb.gz", func(f io.Writer) error {
		return pprof.Lookup(name).WriteTo(f, 0)
	})
}

// summary writes evidence.txt: first, when the files that need no collection are
// written, and when all files are written, to list them. If a later call fails,
// the evidence.txt of an earlier one remains.
func (s *setWriter) summary(u usage, now time.Time, reason string) {
	const name = "evidence.txt"
	_, err := s.create(name, func(f io.Writer) error {
		_, err := io.WriteString(f, s.text(u, now, reason))
		return err
	})
	if err != nil {
		s.err = errors.Join(s.err, fmt.Errorf("%s: %w", name, err))
	}
}

// text returns the contents of evidence.txt.
func (s *setWriter) text(u usage, now time.Time, reason string) string {
	var b strings.Builder
	line := func(key string, value any) { fmt.Fprintf(&b, "%s: %v\n", key, value) }
	line("reason", reason)
	line("time", now.UTC().Format(time.RFC3339Nano))
	if u.limit > 0 {
		line("memory limit", fmt.Sprintf("%d bytes (%s)", u.limit, u.source))
		line("memory in use", fmt.Sprintf("%d bytes", u.inUse))
	}
	line("Go's memory in use", fmt.Sprintf("%d bytes", u.goInUse))
	line("Go's memory in use, without garbage", fmt.Sprintf("%d bytes", u.live))
	line("free heap", fmt.Sprintf("%d bytes", u.free))
	line("reserve of this package", fmt.Sprintf("%d bytes, which is part of memory in use", s.reserve))
	line("collections", u.cycles)
	line("goroutines", u.goroutines)
	if exe, err := os.Executable(); err == nil {
		line("program", exe)
	}
	line("process", os.Getpid())
	line("Go", fmt.Sprintf("%s %s/%s", runtime.Version(), runtime.GOOS, runtime.GOARCH))
	if s.waiting != "" && s.waited > 0 {
		line("allocations have waited for", s.waited)
	}
	b.WriteString(s.waiting)
	if len(s.written) > 0 {
		fmt.Fprintf(&b, "\n%s\n", strings.Join(s.written, "\n"))
	}
	return b.String()
}

// written calls Written for a set, if it is not nil. The call has a goroutine
// of its own, so that runtime.Goexit in Written does not end the watcher.
func (w *watcher) written(dir string, err error) {
	if w.Written == nil {
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.Written(dir, err)
	}()
	<-done
}
