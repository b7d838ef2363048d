// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"slices"
	"strings"
	"testing"
)

func TestGrew(t *testing.T) {
	const path = "main.items > map[int]*main.item[value]: 45 MB "
	for _, test := range []struct {
		name  string
		at    [4]int64 // megabytes of the live heap, as of a list that has grown by 45 MB
		other int64    // megabytes of another list
		want  string
	}{
		{"in the first third", [4]int64{30, 75, 75, 75}, 0, "grew, and no longer grows: " + path + "in the first 10 s"},
		{"a bit later, too", [4]int64{30, 73, 74, 75}, 0, "grew, and no longer grows: " + path + "in the first 10 s"},
		{"in two thirds", [4]int64{30, 50, 75, 75}, 0, "grew, and no longer grows: " + path + "in the first 20 s"},
		{"in the second third", [4]int64{30, 30, 74, 75}, 0, "grew, and no longer grows: " + path + "in the first 20 s"},
		{"in the last third", [4]int64{30, 30, 30, 75}, 0, "grew, but not steadily: " + path + "in 30 s"},
		{"always", [4]int64{30, 45, 60, 75}, 0, ""},
		{"and shrinks", [4]int64{30, 75, 80, 75}, 0, "grew, but not steadily: " + path + "in 30 s"},
		{"of two lists", [4]int64{30, 105, 105, 105}, 30, "grew, but not steadily: " + path + "in 30 s\n" +
			"grew, but not steadily: main.others > map[int]*main.item[value]: 30 MB in 30 s"},
		{"beside another list, which has become smaller", [4]int64{30, 30, 30, 30}, -45, "grew, beside memory that shrank: " + path + "in 30 s"},
	} {
		f := atRest()
		f.grow("global", 45*mb, 450, 45*mb, "main.items", "map[int]*main.item[value]")
		if test.other != 0 {
			f.grow("global", test.other*mb, 10*test.other, test.other*mb, "main.others", "map[int]*main.item[value]")
		}
		for i, n := range test.at {
			f.Moments[collected[i]].Live = n * mb
		}
		if got := strings.Join(f.grewTexts(), "\n"); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
	if got := atRest().grewTexts(); got != nil {
		t.Errorf("at rest: %q", got)
	}
	f := compared(makeTake(t, sizes{}), makeTake(t, sizes{leak: 45 * mb}))
	if got := f.grewTexts(); got != nil {
		t.Errorf("two takes: %q", got)
	}
}

// TestGrewSinceBase has two takes, of which the newer one has more of a list, and
// less of another.
func TestGrewSinceBase(t *testing.T) {
	f := atRest()
	f.Compare, f.base = true, f.take
	f.grow("global", 45*mb, 450, 45*mb, "main.items", "map[int]*main.item[value]")
	f.grow("global", -45*mb, -450, -45*mb, "main.others")
	want := []string{"grew, beside memory that shrank: main.items > map[int]*main.item[value]: 45 MB since the base"}
	if got := f.grewTexts(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := f.noGrowth(); got != "no other place has grown by more than 5.0 MB since the base" {
		t.Errorf("%q", got)
	}
}

// TestGrewLarger has objects that become larger, and no new ones.
func TestGrewLarger(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*facts)
		want   []string
	}{
		{"a buffer", func(f *facts) { f.grow("global", 45*mb, 0, 45*mb, "main.audit", "bytes.Buffer.buf []uint8") },
			[]string{"grew in steps: main.audit > bytes.Buffer.buf []uint8: 45 MB in 30 s"}},
		{"buffers of many objects", func(f *facts) {
			f.grow("global", 45*mb, 0, 45*mb, "main.free", "chan *main.encoder[elem]", "main.encoder.buf.buf []uint8")
		}, []string{"grew in steps: main.free > chan *main.encoder[elem]: 45 MB in 30 s"}},
		{"slices, and a new one", func(f *facts) {
			f.grow("global", 45*mb, 1, 45*mb, "main.db", "map[string][]main.point[value]")
		}, []string{"grew in steps: main.db > map[string][]main.point[value]: 45 MB in 30 s"}},
		{"a buffer beside a list that shrinks", func(f *facts) {
			f.grow("global", 45*mb, 0, 45*mb, "main.audit", "bytes.Buffer.buf []uint8")
			f.grow("global", -40*mb, -10, -40*mb, "main.noise")
		}, []string{"grew, beside memory that shrank: main.audit > bytes.Buffer.buf []uint8: 45 MB in 30 s"}},
		{"less than the least", func(f *facts) {
			f.grow("global", growthLeast-1, 0, growthLeast-1, "main.audit", "bytes.Buffer.buf []uint8")
		}, nil},
		{"goroutines below their share", func(f *facts) {
			f.Refs.Bytes = 1000 * mb
			f.grow("stack", 45*mb, 0, 45*mb, "(stack)", "main.serve", "bytes.Buffer.buf []uint8")
		}, nil},
		{"a pool", func(f *facts) {
			f.grow("global", 45*mb, 10, 45*mb, "main.pool", "main.pool.local *sync.poolLocal")
			f.Refs.leavePools()
		}, nil},
		{"four buffers", func(f *facts) {
			for _, name := range []string{"main.a", "main.b", "main.c", "main.d"} {
				f.grow("global", 45*mb, 0, 45*mb, name)
			}
		}, []string{"grew in steps: main.a: 45 MB in 30 s", "grew in steps: main.b: 45 MB in 30 s", "grew in steps: main.c: 45 MB in 30 s"}},
		{"the last recording is refused", func(f *facts) {
			f.grow("global", 45*mb, 0, 45*mb, "main.audit")
			f.RefsOnce = true
		}, nil},
	} {
		f := atRest()
		test.change(f)
		for i := range f.Moments {
			f.Moments[i].Live = 30 * mb
		}
		f.Moments[len(f.Moments)-1].Live += f.Refs.NewBytes
		if got := f.grewTexts(); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
		if all := find(f); len(all) > 0 {
			t.Errorf("%s: findings %+v", test.name, all)
		}
	}
}

// TestEnded watches a server that leaks once in the watch, and one that has leaked
// before it. No finding is about them.
func TestEnded(t *testing.T) {
	exe := buildServer(t)
	for mode, want := range map[string]bool{"ended": true, "full": false} {
		dir, text := watchServer(t, startServer(t, exe, mode))
		if got := signatures(t, dir); len(got) > 0 {
			t.Errorf("%s: findings %q", mode, got)
		}
		if !strings.Contains(text, "\nmost is held by main.sessions > map[int]*main.session[value]: ") ||
			strings.Contains(text, "\ngrew, and no longer grows: main.sessions > map[int]*main.session[value]: 8.") != want {
			t.Errorf("%s:\n%s", mode, text)
		}
	}
}
