// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pprof

import (
	"runtime"
	"strings"
	"testing"
)

// A cleanupPart is an object that only the argument of a cleanup holds.
type cleanupPart struct {
	next *cleanupPart
	n    [10000]int
}

func (p *cleanupPart) close() { p.n[0]++ }

type cleanupCloser interface{ close() }

// cleanupOwners have cleanups. They are never free.
var cleanupOwners []*[2]*int

// addPartCleanup adds a cleanup with an argument of type S.
func addPartCleanup[S any](cleanup func(S), arg S) {
	owner := new([2]*int)
	cleanupOwners = append(cleanupOwners, owner)
	runtime.AddCleanup(owner, cleanup, arg)
}

// refsText returns the refs profile as text.
func refsText(t *testing.T) string {
	t.Helper()
	var text strings.Builder
	if err := Lookup("refs").WriteTo(&text, 1); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// TestRefsCleanupArgument checks that the argument of a cleanup has its type,
// whatever the type is, and that the objects behind it have theirs.
func TestRefsCleanupArgument(t *testing.T) {
	defer func() { cleanupOwners = nil }()
	part := func() *cleanupPart { return new(cleanupPart) }
	p := part()
	addPartCleanup(func(func()) {}, func() { p.n[1]++ })
	addPartCleanup(func(f func()) { f() }, part().close)
	addPartCleanup(func([]*cleanupPart) {}, []*cleanupPart{part()})
	addPartCleanup(func(map[string]*cleanupPart) {}, map[string]*cleanupPart{"a": part()})
	addPartCleanup(func(*cleanupPart) {}, part())
	addPartCleanup(func(**cleanupPart) {}, &[]*cleanupPart{part()}[0])
	addPartCleanup(func(struct{ p *cleanupPart }) {}, struct{ p *cleanupPart }{part()})
	addPartCleanup(func(cleanupCloser) {}, cleanupCloser(part()))
	addPartCleanup(func(any) {}, any(part()))
	addPartCleanup(func(chan *cleanupPart) {}, make(chan *cleanupPart, 10000))
	addPartCleanup(func(string) {}, strings.Repeat("x", 80000))
	text := refsText(t)
	_, text, _ = strings.Cut(text, "  cleanup\n")
	got := make(map[string]bool)
	for line := range strings.Lines(text) {
		if fields := strings.SplitN(strings.TrimSpace(line), "  (argument) ", 2); len(fields) == 2 {
			got[fields[1]] = true
		}
	}
	for _, want := range []string{
		"*func()", "*[]*pprof.cleanupPart", "*map[string]*pprof.cleanupPart", "**pprof.cleanupPart", "***pprof.cleanupPart",
		"*struct { p *pprof.cleanupPart }", "*pprof.cleanupCloser", "*interface {}", "*chan *pprof.cleanupPart", "*string",
	} {
		if !got[want] {
			t.Errorf("no argument of type %s:\n%.5000s", want, text)
		}
	}
}

// blockCleanups is received from by blockedCleanup.
var blockCleanups = make(chan bool)

func blockedCleanup(*cleanupPart) { <-blockCleanups }

// TestRefsCleanupQueue checks that queued cleanups are shown by function.
func TestRefsCleanupQueue(t *testing.T) {
	defer close(blockCleanups)
	const n = 10000
	shared := new(cleanupPart)
	for range n {
		runtime.AddCleanup(new([2]*int), blockedCleanup, shared)
	}
	runtime.GC()
	runtime.GC()
	const want = "(cleanup queue) runtime/pprof.blockedCleanup"
	if text := refsText(t); !strings.Contains(text, want) || !strings.Contains(text, "(argument) **pprof.cleanupPart") {
		t.Errorf("the profile lacks %q:\n%.3000s", want, text)
	}
}
