// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file reports progress. If standard error is a terminal, work that takes
// more than a second is reported there. With -v, such work is reported even if
// standard error is no terminal, and the end of each piece of work is reported
// with its duration.

package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// progressDelay is the time before the first report, and between reports.
const progressDelay = time.Second

// A progress reports progress.
type progress struct {
	w        io.Writer
	terminal bool
	verbose  bool
}

// begin begins some work. The parameter what is a description of the work. The
// caller must call end when the work is over.
func (p *progress) begin(what string) (end func()) {
	if !p.terminal && !p.verbose {
		return func() {}
	}
	var mu sync.Mutex
	var over, reported bool
	report := time.AfterFunc(progressDelay, func() {
		mu.Lock()
		defer mu.Unlock()
		if !over {
			reported = true
			fmt.Fprintf(p.w, "heapgraph: %s ...\n", what)
		}
	})
	start := time.Now()
	return func() {
		report.Stop()
		mu.Lock()
		defer mu.Unlock()
		over = true
		if reported || p.verbose {
			fmt.Fprintf(p.w, "heapgraph: %s took %v\n", what, time.Since(start).Round(time.Millisecond))
		}
	}
}

// A meter counts the bytes that are written to it, and reports the number at
// most once a second.
type meter struct {
	p    *progress
	next time.Time
	n    int64
	open bool // a line is not complete
}

func (m *meter) Write(b []byte) (int, error) {
	m.n += int64(len(b))
	now := time.Now()
	if m.next.IsZero() {
		m.next = now.Add(progressDelay)
	}
	if now.Before(m.next) {
		return len(b), nil
	}
	m.next = now.Add(progressDelay)
	switch {
	case m.p.terminal:
		m.open = true
		fmt.Fprintf(m.p.w, "\rheapgraph: received %s", formatSize(m.n))
	case m.p.verbose:
		fmt.Fprintf(m.p.w, "heapgraph: received %s\n", formatSize(m.n))
	}
	return len(b), nil
}

// end ends the last line.
func (m *meter) end() {
	if m.open {
		fmt.Fprintln(m.p.w)
	}
}
