// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"slices"
	"testing"
)

func TestFindFinalizers(t *testing.T) {
	held := func(f *facts, root, name string, first, last int64) {
		f.Refs.Children = append(f.Refs.Children, &element{Name: name, Root: root, Bytes: last, Objects: 60, NewBytes: last - first})
	}
	testFindings(t, findFinalizers, []findingTest{
		{"cycles", func(f *facts) { held(f, "finalizer", "(finalizer) *main.file", 30*mb, 31*mb) }, []string{"(finalizer) *main.file"}},
		{"at one end", func(f *facts) {
			held(f, "finalizer", "(finalizer) *main.file", 31*mb, 31*mb)
			f.RefsOnce = true
		}, nil},
		{"few", func(f *facts) { held(f, "finalizer", "(finalizer) *main.file", 24*mb, 24*mb) }, nil},
		{"a burst", func(f *facts) { held(f, "finalizer", "(finalizer) *main.file", 2*mb, 31*mb) }, nil},
		{"freed", func(f *facts) { held(f, "finalizer", "(finalizer) *main.file", 31*mb, 0) }, nil},
		{"arguments of cleanups", func(f *facts) { held(f, "cleanup", "(cleanup) main.free", 30*mb, 30*mb) }, nil},
	})
}

// TestStuckFinalizer has objects in the queue of finalizers.
func TestStuckFinalizer(t *testing.T) {
	const code = "main.(*handle).finalize a/main.go:25"
	stuck := []string{"because the finalizer at " + code + " does not return"}
	at := func(code, start string, counts []int64) []place {
		return []place{{Code: "main.wait", Start: "main.start", Counts: counts}, {Code: code, State: "send", Start: start, Counts: counts}}
	}
	always, once := counts(1, 0), append(counts(1, 0)[:spaced+1], 0)
	for _, test := range []struct {
		name   string
		places []place
		queue  []string
	}{
		{"a finalizer does not return", at(code, finalizerRunner, always), stuck},
		{"a finalizer returns", at(code, finalizerRunner, once), nil},
		{"another goroutine", at(code, "main.start", always), nil},
		{"no finalizer runs", at("runtime.runFinalizers runtime/mfinal.go:200", finalizerRunner, always), nil},
		{"of the standard library", at("os.(*file).close os/file_unix.go:300", finalizerRunner, always), nil},
	} {
		f := atRest()
		f.Places = test.places
		f.Refs.Children = append(f.Refs.Children,
			&element{Name: finalizerQueue, Root: "finalizer", Bytes: 60 * mb, Objects: 60},
			&element{Name: "(finalizer) *main.file", Root: "finalizer", Bytes: 50 * mb, Objects: 60})
		all := findFinalizers(f)
		if len(all) != 2 || !slices.Equal(all[0].Details, test.queue) || !slices.Equal(all[1].Details, []string{neverUnreachable}) {
			t.Errorf("%s: %+v", test.name, all)
		}
		f = atRest()
		f.Places = test.places
		f.grow("finalizer", 9*mb, 30, 9*mb, finalizerQueue, "(argument) *main.handle")
		want := append(slices.Clone(test.queue), "9.0 MB and 30 objects came in 30 s; now 10 MB in 100 objects")
		if all := findLive(f); len(all) != 1 || !slices.Equal(all[0].Details, want) {
			t.Errorf("%s: %+v, want details %q", test.name, all, want)
		}
	}
}

// TestJoinFinalizers has objects that wait in the queue, and others with a
// finalizer.
func TestJoinFinalizers(t *testing.T) {
	live := func(place string) finding {
		return finding{Kind: "live-growth", Place: place, Bytes: 4 * mb, came: 400}
	}
	const queued = "(finalizer queue) > (argument) *main.handle"
	for place, joins := range map[string]bool{
		"(finalizer) *main.handle":                           true,
		"(finalizer) *main.handle > main.handle.buf []uint8": true,
		"(finalizer) *main.handler":                          false,
		"(cleanup) *main.handle":                             false,
		"main.all > []*main.handle[elem]":                    false,
	} {
		all := joinFinalizers([]finding{live(place), live(queued + " > main.handle.buf []uint8")})
		if joined := len(all) == 1; joined != joins {
			t.Errorf("%s: %+v", place, all)
		}
		last := all[len(all)-1]
		if joins && last.Bytes != 8*mb {
			t.Errorf("%s: %d bytes", place, last.Bytes)
		}
		if want := []string{"with 4.0 MB in 400 objects that are not yet in the queue"}; joins && !slices.Equal(last.Details, want) {
			t.Errorf("%s: %q, want %q", place, last.Details, want)
		}
	}
	for _, other := range []finding{{Kind: "unused-capacity", Place: queued, Bytes: 9 * mb}, {Kind: "live-growth", Place: queued, Bytes: 3 * mb}} {
		if all := joinFinalizers([]finding{live("(finalizer) *main.handle"), other}); len(all) != 2 {
			t.Errorf("joined to %+v", other)
		}
	}
}
