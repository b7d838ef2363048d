// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"strings"
	"testing"
)

func TestFindLiveWhole(t *testing.T) {
	const place = "live heap"
	caches := func(n int, each int64) func(*facts) {
		return func(f *facts) {
			for i := range n {
				f.grow("global", each, 10, each, fmt.Sprint("main.cache", i))
			}
		}
	}
	// buffers has a list of encoders with fields that become larger.
	buffers := func(bytes int64) func(*facts) {
		return func(f *facts) {
			f.grow("global", bytes, 0, bytes, "main.free", "chan *main.encoder[elem]", "main.encoder.buf.buf []uint8")
		}
	}
	// end ends the watch after so many moments.
	end := func(f *facts, moments int) {
		f.Refs.each(func(e *element) { e.NewBytes, e.NewCount = 0, 0 })
		f.Moments, f.take.Moments = f.Moments[:moments], f.take.Moments[:moments]
	}
	// refused has a busy server that refuses the last recording.
	refused := func(each int64) func(*facts) {
		return func(f *facts) {
			caches(9, each)(f)
			end(f, spaced+2)
			f.RefsOnce = true
			f.Moments[1].During, f.Moments[1].Recorded = 5*mb, true
			for i := 2; i < len(f.Moments); i++ {
				f.Moments[i].Live += 5 * mb
			}
		}
	}
	testFindings(t, findLiveWhole, []findingTest{
		{"thirty caches", caches(30, mb/4), []string{place}},
		{"less than the share", caches(30, mb/20), nil},
		{"one path has more than half", func(f *facts) {
			caches(10, mb/4)(f)
			f.grow("global", 9*mb, 10, 9*mb, "main.items")
		}, nil},
		{"one path has less than half", func(f *facts) {
			caches(30, mb/4)(f)
			f.grow("global", 3*mb, 10, 3*mb, "main.items")
		}, []string{place}},
		{"goroutines below their share", func(f *facts) {
			for i := range 30 {
				f.grow("stack", mb/4, 10, mb/4, "(stack)", fmt.Sprint("main.serve", i))
			}
		}, []string{place}},
		{"buffers of many objects become larger", buffers(9 * mb), []string{"main.free > chan *main.encoder[elem]"}},
		{"buffers, beside memory that shrinks", func(f *facts) {
			buffers(9 * mb)(f)
			f.grow("global", -3*mb, -10, -3*mb, "main.cache")
		}, []string{"main.free > chan *main.encoder[elem]"}},
		{"buffers of many goroutines", func(f *facts) {
			f.grow("stack", 9*mb, 0, 9*mb, "(stack)")
			stack := f.Refs.Children[len(f.Refs.Children)-1]
			for i := range 9 {
				stack.Children = append(stack.Children, &element{Name: fmt.Sprint("main.serve", i), NewBytes: mb, Objects: 100})
			}
		}, []string{place}},
		{"buffers become smaller again", func(f *facts) {
			buffers(9 * mb)(f)
			f.Moments[4].Live += 5 * mb
		}, nil},
		{"allocated during the recording", func(f *facts) { f.grow("allocated", 9*mb, 10, 9*mb, "(allocated during GC)") }, nil},
		{"a pool", func(f *facts) {
			f.grow("global", 9*mb, 10, 9*mb, "main.pool", "main.pool.local *sync.poolLocal")
			f.Refs.leavePools()
		}, nil},
		{"a server starts", func(f *facts) {
			caches(30, mb/4)(f)
			for i := range f.Moments {
				f.Moments[i].Live = []int64{30, 30, 34, 35, 36, 36, 37, 37, 37}[i] * mb
			}
		}, nil},
		{"the live heap goes up and down", func(f *facts) {
			caches(30, mb/4)(f)
			f.Moments[4].Live += 5 * mb
		}, nil},
		{"a busy server", func(f *facts) {
			caches(30, mb/4)(f)
			for i := 2; i < spaced+1; i++ {
				f.Moments[i].Live += 5 * mb
			}
			f.Moments[collected[3]].During = 5 * mb
		}, []string{place}},
		{"a busy server, whose watch is cut", func(f *facts) {
			for i := 2; i < spaced+1; i++ {
				f.Moments[i].Live += 5 * mb
			}
			f.Moments[1].During = 5 * mb
			end(f, spaced)
		}, nil},
		{"the last recording is refused", refused(mb), []string{place}},
		{"the last recording of a busy server is refused", refused(0), nil},
		{"the server is killed", func(f *facts) {
			caches(30, mb/4)(f)
			end(f, spaced+1)
		}, []string{place}},
		{"and earlier", func(f *facts) {
			caches(30, mb/4)(f)
			end(f, collected[2])
		}, nil},
		{"an unchanged toolchain", func(f *facts) {
			f.Refs = nil
			for i := range f.Moments {
				delete(f.Moments[i].Classes, live)
			}
			f.growing(objects, mb)
			f.Moments[4].Live += 20 * mb
		}, []string{place}},
		{"two takes", func(f *facts) {
			caches(30, mb/4)(f)
			f.Compare = true
		}, nil},
	})
	f := atRest()
	caches(30, mb/4)(f)
	if x := findLiveWhole(f)[0]; x.Text != "The live heap grows by 156 kB/s, and no single path has most of it." ||
		strings.Join(x.Details, "; ") != "6.6 MB came in 42 s, now 38 MB; of it: 250 kB below main.cache0, 250 kB below main.cache1, 250 kB below main.cache10" {
		t.Errorf("%+v", x)
	}
	f = atRest()
	buffers(9 * mb)(f)
	f.Sites = []site{{Path: "main.free > chan *main.encoder[elem] > main.encoder.buf.buf []uint8", Code: "main.handle a/b.go:7", Bytes: 9 * mb, NewBytes: 9 * mb}}
	if x := findLiveWhole(f)[0]; x.Text != "The live heap grows by 300 kB/s below main.free." || x.Kind != "class-growth" || x.Signature != "live" ||
		strings.Join(x.Details, "; ") != "9.0 MB and larger objects came in 30 s; now 10 MB in 100 objects; most of it: > main.encoder.buf.buf []uint8; allocated by main.handle a/b.go:7" {
		t.Errorf("%+v", x)
	}
	f = atRest()
	caches(10, mb)(f)
	f.grow("global", -8*mb, -10, -8*mb, "main.old")
	if got := f.mostGrown(2 * mb); len(got) != 1 || got[0] != "1.0 MB below main.cache0, 1.0 MB below main.cache1, 1.0 MB below main.cache2; 1.0 MB went elsewhere" {
		t.Errorf("caches beside memory that shrinks: %q", got)
	}
	f = atRest()
	refused(mb)(f)
	if x := findLiveWhole(f); len(x) != 1 || x[0].Bytes != 9*mb*7/8 {
		t.Errorf("the last recording is refused: %+v", x)
	}
}
