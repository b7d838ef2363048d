// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pprof

import (
	"bytes"
	"errors"
	"fmt"
	"internal/profile"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// takeRetainedPaths takes a profile and returns the values of its samples by
// the names from the root on.
func takeRetainedPaths(t *testing.T, r *RetainedProfile) (map[string][2]int64, *profile.Profile) {
	t.Helper()
	var buf bytes.Buffer
	if err := r.Write(&buf); err != nil {
		t.Fatal(err)
	}
	p, err := profile.Parse(&buf)
	if err != nil {
		t.Fatal(err)
	}
	paths := make(map[string][2]int64)
	for _, s := range p.Sample {
		var names []string
		for i := range s.Location {
			names = append(names, s.Location[len(s.Location)-1-i].Line[0].Function.Name)
		}
		path := strings.Join(names, " > ")
		if _, ok := paths[path]; ok {
			t.Errorf("two samples are at %s", path)
		}
		paths[path] = [2]int64(s.Value)
	}
	return paths, p
}

// Sizes are those of size classes.
type (
	retainedOwner struct {
		pages  *[10]*retainedPage
		shared *[512]byte
	}
	retainedPage struct {
		text *[1024]byte
		_    [120]byte
	}
)

var retainedFirst, retainedSecond *retainedOwner

//go:noinline
func newRetainedOwner(pages int, shared *[512]byte) *retainedOwner {
	o := &retainedOwner{new([10]*retainedPage), shared}
	for i := range pages {
		o.pages[i] = &retainedPage{text: new([1024]byte)}
	}
	return o
}

//go:noinline
func setRetainedOwners() {
	shared := new([512]byte)
	retainedFirst, retainedSecond = newRetainedOwner(7, shared), newRetainedOwner(3, shared)
}

// TestRetainedProfile checks that an object is below each object that retains
// it, and that objects that two variables hold are below neither of them.
func TestRetainedProfile(t *testing.T) {
	setRetainedOwners()
	defer func() { retainedFirst, retainedSecond = nil, nil }()
	paths, p := takeRetainedPaths(t, new(RetainedProfile))
	for _, o := range []struct {
		name  string
		pages int64
	}{{"First", 7}, {"Second", 3}} {
		path := "runtime/pprof.retained" + o.name
		for _, next := range []struct {
			typ           string
			objects, size int64
		}{
			{"pprof.retainedOwner", 1, 16},
			{"[10]*pprof.retainedPage", 1, 80},
			{"pprof.retainedPage", o.pages, 128},
			{"[1024]uint8", o.pages, 1024},
		} {
			path += " > " + next.typ
			size := next.size
			if ptrSize == 4 {
				size = map[int64]int64{16: 8, 80: 48}[size]
				if size == 0 {
					size = next.size
				}
			}
			if got, want := paths[path], [2]int64{next.objects, next.objects * size}; got != want {
				t.Errorf("%s has %v, want %v", path, got, want)
			}
		}
	}
	for path := range paths {
		if strings.Contains(path, "pprof.retained") && strings.HasSuffix(path, "> [512]uint8") {
			t.Errorf("%s is retained by one of two variables", path)
		}
	}
	if paths["[512]uint8"][0] < 1 {
		t.Error("there is no object that two variables hold")
	}
	checkRetainedTotals(t, p)
}

// checkRetainedTotals checks that samples add up to the live heap.
func checkRetainedTotals(t *testing.T, p *profile.Profile) {
	t.Helper()
	var objects, bytes, wantBytes, wantObjects int64
	for _, s := range p.Sample {
		objects += s.Value[0]
		bytes += s.Value[1]
	}
	var cycle int
	if len(p.Comments) < 2 {
		t.Fatalf("comments are %q", p.Comments)
	}
	if _, err := fmt.Sscanf(p.Comments[0], "GC cycle %d: %d bytes live in %d objects", &cycle, &wantBytes, &wantObjects); err != nil {
		t.Fatalf("%q: %v", p.Comments[0], err)
	}
	if objects != wantObjects || bytes != wantBytes {
		t.Errorf("samples have %d bytes in %d objects, want %d in %d", bytes, objects, wantBytes, wantObjects)
	}
}

// retainedKept keeps the objects with which a test fills the heap.
var retainedKept any

// TestRetainedRefuses checks that a heap of too many objects is refused before
// a collection, and a heap of too many references after it.
func TestRetainedRefuses(t *testing.T) {
	defer func() { retainedKept = nil }()
	cycles := func() uint32 {
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		return s.NumGC
	}
	const objects = 300000
	list := make([]*[4]*int, objects)
	for i := range list {
		list[i] = new([4]*int)
	}
	retainedKept = list
	runtime.GC()
	before := cycles()
	err := (&RetainedProfile{MemoryLimit: objects * retainedPerObject}).Write(io.Discard)
	if !errors.Is(err, ErrRetainedMemory) || !strings.Contains(err.Error(), "go tool heapgraph") {
		t.Errorf("error is %v", err)
	}
	if n := cycles() - before; n != 0 {
		t.Errorf("%d collections ran before the profile was refused", n)
	}

	references := make([]*int, 20*objects)
	one := new(int)
	for i := range references {
		references[i] = one
	}
	retainedKept = references
	runtime.GC()
	estimate := pprof_liveObjects()
	if estimate > objects {
		t.Skipf("other tests have left %d objects", estimate)
	}
	if err := (&RetainedProfile{MemoryLimit: objects * retainedPerObject}).Write(io.Discard); !errors.Is(err, ErrRetainedMemory) {
		t.Errorf("error is %v", err)
	}
}

// A retainedNode is a vertex of a random graph.
type retainedNode struct {
	out  []*retainedNode
	data []byte
}

// TestRetainedStable checks that two profiles of an idle heap have the same
// values at each path of the program. Only the runtime's own structures and
// those of the profile, some of which exist for each P and M, may move.
func TestRetainedStable(t *testing.T) {
	if !ownProcess(t) {
		return
	}
	r := rand.New(rand.NewPCG(1, 2))
	nodes := []*retainedNode{new(retainedNode)}
	for range 100000 {
		n := &retainedNode{data: make([]byte, 16*(1+r.IntN(10)))}
		for range 1 + r.IntN(3) {
			from := nodes[r.IntN(len(nodes))]
			from.out = append(from.out, n)
		}
		nodes = append(nodes, n)
	}
	retainedKept = nodes[0]
	nodes = nil
	takeRetainedPaths(t, new(RetainedProfile))
	first, p := takeRetainedPaths(t, new(RetainedProfile))
	second, _ := takeRetainedPaths(t, new(RetainedProfile))
	checkRetainedTotals(t, p)
	var moved, live, kept int64
	for path, v := range first {
		live += v[1]
		w := second[path]
		moved += max(v[1]-w[1], 0)
		if strings.HasPrefix(path, "runtime/pprof.retainedKept") {
			kept += v[1]
			if v != w {
				t.Errorf("%s has %v and then %v", path, v, w)
			}
		}
	}
	t.Logf("%d of %d bytes moved, of which the program's are %d", moved, live, kept)
	if most := int64(runtime.GOMAXPROCS(0)+8) << 15; kept < live*9/10 || moved > most {
		t.Errorf("%d of %d bytes moved, want at most %d; the program's are %d", moved, live, most, kept)
	}
}

// TestRetainedMutated takes profiles while goroutines allocate and change
// references.
func TestRetainedMutated(t *testing.T) {
	stop := make(chan bool)
	var wg sync.WaitGroup
	for i := range uint64(4) {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(i, 3))
			nodes := make([]*retainedNode, 1000)
			for {
				select {
				case <-stop:
					return
				default:
				}
				n := &retainedNode{data: make([]byte, r.IntN(4000))}
				for range r.IntN(10) {
					n.out = append(n.out, nodes[r.IntN(len(nodes))])
				}
				p := &nodes[r.IntN(len(nodes))]
				if *p != nil {
					(*p).out = nil // others may refer to it
				}
				*p = n
			}
		})
	}
	for range 5 {
		_, p := takeRetainedPaths(t, &RetainedProfile{MemoryLimit: 1 << 30})
		checkRetainedTotals(t, p)
	}
	close(stop)
	wg.Wait()
}

// TestRetainedMemoryFreed checks that a profile leaves no memory off the heap
// and, after the next collection, no memory on it.
func TestRetainedMemoryFreed(t *testing.T) {
	if !ownProcess(t) {
		return
	}
	list := make([]*[4]*int, 200000)
	for i := range list {
		list[i] = new([4]*int)
	}
	retainedKept = list
	memory := func() (system, heap int64) {
		runtime.GC()
		runtime.GC()
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		return int64(s.GCSys), int64(s.HeapAlloc)
	}
	takeRetainedPaths(t, new(RetainedProfile))
	system, heap := memory()
	for range 3 {
		takeRetainedPaths(t, new(RetainedProfile))
	}
	afterSystem, afterHeap := memory()
	const most = 1 << 20 // an eighth of the memory that the analysis takes
	if afterSystem > system+most || afterHeap > heap+most {
		t.Errorf("GCSys was %d and is %d; the heap was %d and is %d", system, afterSystem, heap, afterHeap)
	}
}

// TestRetainedBusy checks that a profile is refused while another one or a heap
// graph is being written.
func TestRetainedBusy(t *testing.T) {
	for _, test := range []struct {
		name  string
		write func(io.Writer)
	}{
		{"heap graph", func(w io.Writer) { new(HeapGraph).Write(w) }},
		{"retained", func(w io.Writer) { new(RetainedProfile).Write(w) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, w := io.Pipe()
			var wg sync.WaitGroup
			wg.Go(func() { test.write(w) })
			r.Read(make([]byte, 1))
			if err := new(RetainedProfile).Write(io.Discard); err != ErrHeapGraphBusy {
				t.Errorf("error is %v", err)
			}
			r.Close()
			wg.Wait()
			if err := new(RetainedProfile).Write(io.Discard); err != nil {
				t.Errorf("afterwards: %v", err)
			}
		})
	}
}

// TestRetainedFails checks that the error of a writer is returned.
func TestRetainedFails(t *testing.T) {
	r, w := io.Pipe()
	full := errors.New("disk full")
	r.CloseWithError(full)
	if err := new(RetainedProfile).Write(w); !errors.Is(err, full) {
		t.Errorf("error is %v", err)
	}
}

// TestGraphsUncounted checks that the memory of writing a heap graph, or a
// profile that needs one, is not the program's in other profiles.
func TestGraphsUncounted(t *testing.T) {
	if !ownProcess(t) {
		return
	}
	defer func(rate int) { runtime.MemProfileRate = rate }(runtime.MemProfileRate)
	runtime.MemProfileRate = 1
	values := uncountedTypes(1000)
	for name, write := range map[string]func() error{
		"(*HeapGraph).Write":       func() error { _, err := new(HeapGraph).Write(io.Discard); return err },
		"(*RetainedProfile).Write": func() error { return new(RetainedProfile).Write(io.Discard) },
		"(*Retained).Write": func() error {
			_, err := (&Retained{Sets: []string{"main..."}, Match: func(_, name string) bool { return name == "runtime/pprof.uncountedList" }}).Write(io.Discard, 0)
			return err
		},
	} {
		growUncounted(1 << 10)
		if err := write(); err != nil {
			t.Fatal(err)
		}
		for _, other := range []string{"memory", "peak"} {
			for _, s := range takeProfile(t, other).Sample {
				if calls(s, name) || calls(s, name+".func1") {
					t.Errorf("%s has a sample of %v of %s", other, s.Value, name)
				}
			}
		}
	}
	runtime.KeepAlive(values)
}
