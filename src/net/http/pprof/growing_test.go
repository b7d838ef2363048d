// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pprof

import (
	"fmt"
	"internal/profile"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestGrowingFlow checks what came to a path and what went, from the objects
// before and after, and from those that are new.
func TestGrowingFlow(t *testing.T) {
	for _, test := range []struct{ was, is, fresh, came, went int64 }{
		{0, 0, 0, 0, 0},
		{0, 5, 5, 5, 0},
		{5, 0, 0, 0, 5},
		{5, 5, 0, 0, 0},
		{5, 5, 5, 5, 5},
		{5, 7, 4, 4, 2},
		{5, 9, 1, 4, 0}, // three came from other paths
	} {
		x := grownPath{was: memory{test.was, 8 * test.was}, is: memory{test.is, 8 * test.is}, fresh: memory{test.fresh, 8 * test.fresh}}
		came, went := x.flow()
		if want := (memory{test.came, 8 * test.came}); came != want {
			t.Errorf("%+v: %v came, want %v", test, came, want)
		}
		if want := (memory{test.went, 8 * test.went}); went != want {
			t.Errorf("%+v: %v went, want %v", test, went, want)
		}
	}
}

// inuseAt returns a profile of inuse, recorded by a collection after that of
// before. Samples are lines of objects, bytes, age, root, path and calls.
func inuseAt(t *testing.T, cycle, before int, samples string) *profile.Profile {
	p := &profile.Profile{SampleType: []*profile.ValueType{{Type: "inuse_objects"}, {Type: "inuse_space"}}, Comments: []string{fmt.Sprintf("GC cycle %d: 10 bytes live", cycle), fmt.Sprintf("GC cycle %d: the inuse profile before is of GC cycle %d", cycle, before)}}
	locations := make(map[string]*profile.Location)
	for line := range strings.Lines(samples) {
		f := strings.Fields(line)
		s := &profile.Sample{Value: make([]int64, 2), Label: map[string][]string{"root": {strings.ReplaceAll(f[3], "_", " ")}, "retained_by": {strings.ReplaceAll(f[4], ">", " > ")}}, NumLabel: map[string][]int64{"age": {0}}}
		if _, err := fmt.Sscan(line, &s.Value[0], &s.Value[1], &s.NumLabel["age"][0]); err != nil {
			t.Fatal(err)
		}
		for _, call := range f[5:] {
			l := locations[call]
			if l == nil {
				id := uint64(len(locations) + 1)
				fn := &profile.Function{ID: id, Name: call, Filename: "/src/" + call + ".go"}
				l = &profile.Location{ID: id, Line: []profile.Line{{Function: fn, Line: 7}}}
				p.Function, p.Location = append(p.Function, fn), append(p.Location, l)
				locations[call] = l
			}
			s.Location = append(s.Location, l)
		}
		p.Sample = append(p.Sample, s)
	}
	return p
}

// TestGrowingInuse checks the text of a difference of inuse.
func TestGrowingInuse(t *testing.T) {
	const first = `
10 1000 4 global a>b make main
4 400 2 global c make main
3 300 2 global d make main
5 5000 0 allocated x make main
1 100 1 (this_request) y serve`
	const last = `
8 800 9 global a>b make main
3 300 4 global a>b make main
2 800 2 timer a>b grow make main
5 500 9 global c make main
2 200 1 global d make main
9 9000 0 allocated x make main
3 300 1 (this_request) y serve`
	const flow1 = "               came: 1100 bytes in 5 objects, went: 200 bytes in 2 objects\n"
	const flow2 = "               came: 100 bytes in 1 objects, went: 0 bytes in 0 objects\n"
	const unknown = "# what came and went is not known, because another inuse profile was taken in between\n"
	for _, test := range []struct {
		before              int
		unknown, one, other string
	}{{3, "", flow1, flow2}, {4, unknown, "", ""}} {
		p0, p1 := inuseAt(t, 3, 1, first[1:]), inuseAt(t, 7, test.before, last[1:])
		g := newGrowing("inuse", p0, p1, true)
		p0.Scale(-1)
		p := &profile.Profile{DurationNanos: 60e9, Sample: append(p0.Sample, p1.Sample...), Comments: p1.Comments}
		w := httptest.NewRecorder()
		g.serve(w, "inuse", p)
		want := fmt.Sprintf(`inuse difference over 1m0s: +1100 bytes in +5 objects
# GC cycle 7: 10 bytes live
# GC cycle 7: the inuse profile before is of GC cycle %d
# left out, because it is new and not growth: +4000 bytes (allocated during GC)
%s
         bytes     objects      bytes now objects now       mean  path that has grown
          +900          +3           1900          13        146  a > b
%s               +800 bytes in +2 objects were allocated by
                   grow /src/grow.go:7
                   make /src/make.go:7
                   main /src/main.go:7
               +100 bytes in +1 objects were allocated by
                   make /src/make.go:7
                   main /src/main.go:7
          +100          +1            500           5        100  c
%s               +100 bytes in +1 objects were allocated by
                   make /src/make.go:7
                   main /src/main.go:7
          -100          -1                                       (1 that have shrunk)
          +200          +2                                       (this request)
`, test.before, test.unknown, test.one, test.other)
		if got := w.Body.String(); got != want {
			t.Errorf("text\n%s\nwant\n%s", got, want)
		}
	}
}

// TestGrowingMany checks that the largest growth comes first, and that the rest
// of the growth is one line.
func TestGrowingMany(t *testing.T) {
	var samples strings.Builder
	const n = mostGrown + 5
	for i := range n {
		fmt.Fprintf(&samples, "1 %d 0 global p%d f\n", 10+(i*7)%n, i)
	}
	p := inuseAt(t, 2, 0, samples.String())
	w := httptest.NewRecorder()
	newGrowing("inuse", new(profile.Profile), p, true).serve(w, "inuse", p)
	last, paths := int64(1<<62), 0
	var rest int64
	for line := range strings.Lines(w.Body.String()) {
		var bytes, objects int64
		var path string
		if k, _ := fmt.Sscanf(line, "%d %d %d %d %d %s", &bytes, &objects, new(int64), new(int64), new(int64), &path); k == 6 {
			if bytes > last {
				t.Errorf("%s has %d bytes, and the one before %d", path, bytes, last)
			}
			last = bytes
			paths++
		}
		if strings.HasSuffix(line, " (5 more)\n") {
			fmt.Sscan(line, &rest)
		}
	}
	if want := int64(10 + 11 + 12 + 13 + 14); paths != mostGrown || rest != want {
		t.Errorf("%d paths, and %d bytes more; want %d and %d:\n%s", paths, rest, mostGrown, want, w.Body)
	}
}

// TestGrowingNone checks the text if nothing has changed.
func TestGrowingNone(t *testing.T) {
	p := inuseAt(t, 2, 1, "")
	w := httptest.NewRecorder()
	newGrowing("inuse", inuseAt(t, 1, 0, ""), p, true).serve(w, "inuse", p)
	if want := "\n\nNo path has grown.\n"; !strings.HasSuffix(w.Body.String(), want) {
		t.Errorf("text does not end with %q:\n%s", want, w.Body)
	}
}

// TestGrowingOther checks that profiles without paths are left alone.
func TestGrowingOther(t *testing.T) {
	p := inuseAt(t, 2, 0, "1 8 0 allocated p f")
	if g := newGrowing("goroutine", new(profile.Profile), p, true); g != nil || len(p.Sample) != 1 {
		t.Errorf("%v; samples %v", g, p.Sample)
	}
}

var inuseGrown [][]byte

//go:noinline
func growInuse(n int) (line int) {
	for range n {
		inuseGrown = append(inuseGrown, make([]byte, 8<<10))
	}
	_, _, line, _ = runtime.Caller(0)
	return line - 2
}

// TestGrowingInuseServed gets the difference of two inuse profiles as text. In
// between, objects come to one variable and go from it, also those that do
// both.
func TestGrowingInuseServed(t *testing.T) {
	defer func(rate int) { runtime.MemProfileRate, inuseGrown = rate, nil }(runtime.MemProfileRate)
	runtime.MemProfileRate = 1
	const before, grown, dropped = 20, 50, 10
	for seconds := 1; ; seconds *= 4 {
		inuseGrown = make([][]byte, 0, 1000)
		growInuse(before)
		done := make(chan int)
		go func(collection uint32) {
			for collections() == collection {
				time.Sleep(time.Millisecond)
			}
			growInuse(grown)
			clear(inuseGrown[:dropped])        // old
			clear(inuseGrown[before:][:grown]) // new, and gone before the second recording
			runtime.GC()
			runtime.GC()
			done <- growInuse(grown)
		}(collections())
		w := get(http.HandlerFunc(Index), fmt.Sprintf("/debug/pprof/inuse?seconds=%d&debug=1", seconds))
		line := <-done
		text := w.Body.String()
		const size = 8 << 10
		want := fmt.Sprintf("%+14d %+11d %14d %11d %10d  net/http/pprof.inuseGrown > [][]uint8[elem]\n", (grown-dropped)*size, grown-dropped, (before+grown-dropped)*size, before+grown-dropped, size) +
			fmt.Sprintf("%14s came: %d bytes in %d objects, went: %d bytes in %d objects\n", "", grown*size, grown, dropped*size, dropped) +
			fmt.Sprintf("%14s %+d bytes in %+d objects were allocated by\n%18s net/http/pprof.growInuse ", "", grown*size, grown, "")
		call := fmt.Sprintf("/growing_test.go:%d\n", line)
		if strings.Contains(text, want) && strings.Contains(text, call) {
			if !strings.HasPrefix(text, "inuse difference over ") {
				t.Errorf("the first line is not of inuse:\n%s", text)
			}
			return
		}
		if seconds > 30 {
			t.Fatalf("no\n%swith %s in\n%s", want, call, text)
		}
	}
}
