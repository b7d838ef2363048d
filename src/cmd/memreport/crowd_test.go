// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"slices"
	"testing"
)

// TestJoinGoroutines has findings about goroutines, and others of the live heap.
func TestJoinGoroutines(t *testing.T) {
	const conns = "main.backend > net/http.Server.activeConn map[*conn]struct {} > map[*http.conn]struct {}[key]"
	const held = "(stack) > main.start > main.watch.x *T"
	watch := func(came int64) finding {
		return finding{Kind: "goroutines-growth", Signature: "watch", Place: "main.watch", starts: []string{"main.start"}, came: came, Bytes: 9 * mb}
	}
	idle := finding{Kind: "goroutines-leaked", Signature: "idle", Place: "main.idle", starts: []string{"main.other"}, came: moreLeast - 1, Bytes: 90 * mb}
	live := func(place, start string, came int64) finding {
		x := finding{Kind: "live-growth", Signature: place, Place: place, came: came, Bytes: 4 * mb}
		if start != "" {
			x.starts = []string{start}
		}
		return x
	}
	list := live("runtime.allgptr > **runtime.g[elem]", "", 1100)
	for _, test := range []struct {
		name    string
		all     []finding
		want    []string // places
		details []string // of the goroutines in watch
	}{
		{"nothing came", []finding{watch(1000), idle}, []string{"main.watch", "main.idle"}, nil},
		{"the list", []finding{list, idle, watch(1000)}, []string{"main.idle", "main.watch"}, []string{"with them came 4.0 MB in 1,100 objects: " + list.Place}},
		{"the list, estimated", []finding{live("runtime.malg runtime/proc.go:5000", "", 0), watch(1000)}, []string{"main.watch"}, []string{"with them came 4.0 MB: runtime.malg runtime/proc.go:5000"}},
		{"the list of goroutines that do not come", []finding{list, idle}, []string{list.Place, "main.idle"}, nil},
		{"what they hold, and the list", []finding{live(held, "main.start", 500), list, watch(1000)}, []string{"main.watch"},
			[]string{"with them came 4.0 MB in 500 objects: main.watch.x *T", "with them came 4.0 MB in 1,100 objects: " + list.Place}},
		{"less than one object for two goroutines", []finding{live(held, "main.start", 499), watch(1000)}, []string{held, "main.watch"}, nil},
		{"a few have more", []finding{live(held, "main.start", 2_000_000), watch(1000)}, []string{held, "main.watch"}, nil},
		{"a list of others", []finding{live(list.Place, "", 90_000), watch(1000)}, []string{list.Place, "main.watch"}, nil},
		{"others hold it", []finding{live("(stack) > main.read", "main.read", 1000), watch(1000)}, []string{"(stack) > main.read", "main.watch"}, nil},
		{"the list of threads", []finding{live("runtime.allp > []*runtime.p[elem]", "", 7000), watch(1000)}, []string{"main.watch"}, []string{"with them came 4.0 MB in 7,000 objects: runtime.allp > []*runtime.p[elem]"}},
		{"threads of others", []finding{live("runtime.allp > []*runtime.p[elem]", "", 17_000), watch(1000)}, []string{"runtime.allp > []*runtime.p[elem]", "main.watch"}, nil},
		{"a server's list", []finding{live(conns, "", 1000), {Kind: "goroutines-growth", Place: "main.watch", starts: []string{"main.start", "net/http.(*conn).serve"}, came: 1000, Bytes: 9 * mb}}, []string{"main.watch"},
			[]string{"with them came 4.0 MB in 1,000 objects: " + conns}},
		{"a server's list, and other goroutines", []finding{live(conns, "", 1000), watch(1000)}, []string{conns, "main.watch"}, nil},
		{"a variable", []finding{live("main.all", "", 1000), watch(1000)}, []string{"main.all", "main.watch"}, nil},
	} {
		var got, details []string
		for _, x := range joinGoroutines(slices.Clone(test.all)) {
			got = append(got, x.Place)
			if x.Place == "main.watch" {
				details = x.Details
				if want := 9*mb + 4*mb*int64(len(test.details)); x.Bytes != want {
					t.Errorf("%s: %d bytes, want %d", test.name, x.Bytes, want)
				}
			}
		}
		if !slices.Equal(got, test.want) || !slices.Equal(details, test.details) {
			t.Errorf("%s: %q with %q, want %q with %q", test.name, got, details, test.want, test.details)
		}
	}
}
