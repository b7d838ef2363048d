// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pprof_test

import (
	"context"
	"debug/heapgraph"
	"fmt"
	"maps"
	"runtime"
	"runtime/debug"
	. "runtime/pprof"
	"slices"
	"strings"
	"testing"
)

// A namedItem is an object that a map, a variable or a goroutine holds.
type namedItem struct{ bytes [256]byte }

var (
	namedMap  map[string]*namedItem
	namedChan chan *namedItem
	namedItm  *namedItem
)

// TestHeapGraphPackages checks that objects of types of this package, including
// maps and channels of such types, belong to the package, which is named by its
// full path.
func TestHeapGraphPackages(t *testing.T) {
	namedMap, namedChan, namedItm = map[string]*namedItem{"a": new(namedItem)}, make(chan *namedItem, 100), new(namedItem)
	defer func() { namedMap, namedChan, namedItm = nil, nil, nil }()
	g, _ := takeGraph(t, new(HeapGraph))
	d := g.Dominators()
	sizes := make(map[string]int64)
	for _, x := range d.ByPackage() {
		sizes[x.Name] = x.Shallow.Bytes
	}
	if sizes["pprof_test"] != 0 || sizes["runtime/pprof_test"] < 2*256+100*8/2 {
		t.Errorf("pprof_test has %d bytes, runtime/pprof_test %d", sizes["pprof_test"], sizes["runtime/pprof_test"])
	}
	texts := make(map[string]int64)
	for _, x := range d.ByType() {
		texts[x.Name] = x.Shallow.Objects
	}
	for name, want := range map[string]int64{"pprof_test.namedItem": 2, "map[string]*pprof_test.namedItem": 2, "chan *pprof_test.namedItem": 2} {
		if texts[name] != want {
			t.Errorf("%d objects have type %s, want %d", texts[name], name, want)
		}
	}
}

// TestHeapGraphMainPath checks that a snapshot has the path of the main
// package.
func TestHeapGraphMainPath(t *testing.T) {
	g, _ := takeGraph(t, new(HeapGraph))
	info, ok := debug.ReadBuildInfo()
	if ok && g.MainPath != info.Path {
		t.Errorf("path is %q, want %q", g.MainPath, info.Path)
	}
}

// TestHeapGraphLabels checks that a snapshot has the labels of goroutines only
// if Labels is set.
func TestHeapGraphLabels(t *testing.T) {
	wait, waits := make(chan bool), make(chan bool)
	long := strings.Repeat("x", 4<<20)               // longer than a section
	cut := long[:2046] + "…" + long[len(long)-2046:] // as names of 4 KiB are read
	Do(context.Background(), Labels("tenant", "blue", "job", "index", "long", long), func(context.Context) {
		go waitWithItem(wait, waits)
	})
	<-waits
	defer func() { close(wait); <-waits }()
	for _, test := range []struct {
		asked bool
		want  [][2]string
	}{{false, nil}, {true, [][2]string{{"job", "index"}, {"long", cut}, {"tenant", "blue"}}}} {
		g, _ := takeGraph(t, &HeapGraph{Labels: test.asked})
		found := 0
		from, to := g.Roots()
		for v := from; v < to; v++ {
			if g.Kind(v) != heapgraph.KindGoroutine || g.SecondClass(v) {
				continue
			}
			for _, x := range g.Goroutines(v) {
				if !strings.HasSuffix(x.Func, ".waitWithItem") {
					continue
				}
				found++
				slices.SortFunc(x.Labels, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
				if !slices.Equal(x.Labels, test.want) {
					t.Errorf("asked for labels: %v; they are %q, want %q", test.asked, x.Labels, test.want)
				}
			}
		}
		if found != 1 {
			t.Errorf("%d goroutines began with waitWithItem, want 1", found)
		}
	}
}

// TestHeapGraphCreators checks that a snapshot says where goroutines were
// started, also by a go statement with arguments or in a generic function, and
// nothing for the goroutine that no go statement started.
func TestHeapGraphCreators(t *testing.T) {
	start := []func(wait, waits chan bool) (line int){
		func(wait, waits chan bool) int { go waitWithItem(wait, waits); return lineOfCaller() },
		func(wait, waits chan bool) int { go func() { waitWithItem(wait, waits) }(); return lineOfCaller() },
		goGeneric[int],
	}
	names := []string{"TestHeapGraphCreators.func1", "TestHeapGraphCreators.func2", "goGeneric[...]"}
	want := make(map[string]int)
	_, file, _, _ := runtime.Caller(0)
	for i, f := range start {
		wait, waits := make(chan bool), make(chan bool)
		line := f(wait, waits)
		<-waits
		defer func() { close(wait); <-waits }()
		want[fmt.Sprintf("runtime/pprof_test.%s at %s:%d", names[i], file, line)]++
	}
	g, _ := takeGraph(t, new(HeapGraph))
	got := make(map[string]int)
	from, to := g.Roots()
	for v := from; v < to; v++ {
		for _, x := range g.Goroutines(v) {
			if c := x.Creator.String(); strings.Contains(c, file) && !g.SecondClass(v) {
				got[c]++
			}
			if x.Func == "runtime.main" && x.Creator != (heapgraph.Creator{}) {
				t.Errorf("the main goroutine was created by %v", x.Creator)
			}
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("creators are %v, want %v", got, want)
	}
}

// lineOfCaller returns the line of its caller.
func lineOfCaller() int {
	_, _, line, _ := runtime.Caller(1)
	return line
}

func goGeneric[T any](wait, waits chan bool) int { go waitWithItem(wait, waits); return lineOfCaller() }

func waitWithItem(wait, waits chan bool) {
	x := new(namedItem)
	waits <- true
	<-wait
	runtime.KeepAlive(x)
	close(waits)
}
