// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestFacts(t *testing.T) {
	f := newFacts(makeTake(t, sizes{leak: 8 * mb, mapStep: mb, waitStep: 5, goroutine: 12}))
	wantSizes := map[class]int64{resident: 56 * mb, live: 27 * mb, recent: 8 * mb, fragmented: 0, free: 3 * mb,
		stacks: 4 * mb, structures: mb, foreign: 13 * mb, mappings: 17 * mb, "files": 12*mb + mb/2, "c-heap": mb / 2}
	for _, c := range classes {
		if got, want := f.size(c), wantSizes[c]; got != want {
			t.Errorf("%s: %d, want %d", c, got, want)
		}
	}
	if n, ok := f.change(resident); n != 14*mb || !ok {
		t.Errorf("resident changed by %d", n)
	}
	if f.now().Cycle != 4 || f.Watch != 30*time.Second || f.Program != "server" {
		t.Errorf("cycle %d, watch %v, program %s", f.now().Cycle, f.Watch, f.Program)
	}
	if f.Refs.Bytes != 28*mb || f.Refs.NewBytes != 8*mb || f.Refs.NewCount != 8000 {
		t.Errorf("live heap: %+v", f.Refs)
	}
	if got := f.holder().String(); got != "main.items > map[int]*main.item[value]" {
		t.Errorf("holder %s", got)
	}
	if got := f.allocatedBy("main.items > map[int]*main.item[value]"); got != "main.keep m/a.go:7" {
		t.Errorf("allocated by %q", got)
	}
	wantMapped := mapping{"main.load m/a.go:7", "syscall.Mmap", []int64{10 * mb, 11 * mb, 12 * mb, 13 * mb, 14 * mb, 15 * mb, 16 * mb, 17 * mb, 18 * mb}, make([]int64, 9)}
	if m := f.Mapped[0]; m.Code != wantMapped.Code || m.Call != wantMapped.Call || !slices.Equal(m.Mapped, wantMapped.Mapped) || !slices.Equal(m.Unmapped, wantMapped.Unmapped) {
		t.Errorf("mapped %+v, want %+v", m, wantMapped)
	}
	if p := f.Places[0]; p.Code != "main.wait m/a.go:7" || p.Start != "main.start" || !slices.Equal(p.Counts, counts(100, 5)) {
		t.Errorf("place %+v", p)
	}
	if u := f.Stacks; u != (stackUse{Total: 4 * mb, Free: 3 * mb, Goroutines: 140, Filler: "main.wait m/a.go:7", Bytes: mb, Instances: 140}) {
		t.Errorf("stacks %+v", u)
	}
	if f.leaked() != 12 || f.Leaked[0].Code != "main.forget m/a.go:7" {
		t.Errorf("leaked %+v", f.Leaked)
	}
	if f.Grown[0].Code != "main.deep m/a.go:7" || f.Grown[0].Bytes != 3*mb {
		t.Errorf("grown %+v", f.Grown)
	}
	if f.Peak.Bytes != 30*mb || f.Peak.Code != "main.report m/a.go:7" || f.Peak.Share != 20*mb || !f.Peak.Time.Equal(f.Time.Add(-time.Hour)) {
		t.Errorf("peak %+v", f.Peak)
	}
	if n := f.take.allocated("main.keep m/a.go:7"); n != 28*mb || f.Peak.Still != 0 {
		t.Errorf("still allocated: %d, of the peak %d", n, f.Peak.Still)
	}
	if f.NextGC != 40*mb {
		t.Errorf("the next collection begins at %d", f.NextGC)
	}
}

// TestAllocators has the program's own code beside that which has allocated most.
func TestAllocators(t *testing.T) {
	const path = "(stack) > net/http.(*persistConn).readLoop"
	f := &facts{Dependencies: set("example.com/router"), Sites: []site{
		{Path: "net/http.(*persistConn).readLoop > []uint8", Code: "net/http.(*Transport).dialConn http/transport.go:9", NewBytes: 9 * mb},
		{Path: "net/http.(*persistConn).readLoop", Code: "example.com/router.serve router/r.go:1", NewBytes: 8 * mb},
		{Path: "net/http.(*persistConn).readLoop", Code: "main.fetch m/a.go:7", NewBytes: mb},
		{Path: "net/http.(*persistConn).readLoop > x", Code: "main.fetch m/a.go:8", NewBytes: 2 * mb},
		{Path: "main.all", Code: "main.keep m/a.go:9", NewBytes: 9 * mb},
		{Path: "main.idle", Code: "net/http.f http/a.go:9", NewBytes: 100 * mb},
		{Path: "main.idle", Code: "main.health m/a.go:9", NewBytes: mb},
		{Path: "main.busy", Code: "net/http.f http/a.go:9", NewBytes: 99 * mb},
		{Path: "main.busy", Code: "main.health m/a.go:9", NewBytes: mb},
	}}
	for _, test := range []struct {
		path string
		want []string
	}{
		{path, []string{"partly allocated by main.fetch m/a.go:8", "allocated by net/http.(*Transport).dialConn http/transport.go:9"}},
		{path + " > []uint8", []string{"allocated by net/http.(*Transport).dialConn http/transport.go:9"}},
		{"main.all", []string{"allocated by main.keep m/a.go:9"}},
		{"main.idle", []string{"allocated by net/http.f http/a.go:9"}},
		{"main.busy", []string{"partly allocated by main.health m/a.go:9", "allocated by net/http.f http/a.go:9"}},
		{"main.none", nil},
	} {
		if got := f.allocators(test.path, f.allocatedBy(test.path)); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.path, got, test.want)
		}
	}
}

// TestSites has what code allocated in the watch, of each kind of take.
func TestSites(t *testing.T) {
	const path = "main.items > map[int]*main.item[value]"
	k := makeTake(t, sizes{leak: 8 * mb})
	bytesOf := func(f *facts, code string) (all, young int64) {
		for _, s := range f.Sites {
			if s.Code == code {
				all, young = s.Bytes, s.NewBytes
			}
		}
		return all, young
	}
	check := func(name string, f *facts, code string, begin, keep [2]int64) {
		t.Helper()
		if got := f.allocatedBy(path); got != code {
			t.Errorf("%s: allocated by %q, want %q", name, got, code)
		}
		if all, young := bytesOf(f, "main.begin m/a.go:7"); all != begin[0] || young != begin[1] {
			t.Errorf("%s: begin has allocated %d, %d of it new", name, all, young)
		}
		if all, young := bytesOf(f, "main.keep m/a.go:7"); all != keep[0] || young != keep[1] {
			t.Errorf("%s: keep has allocated %d, %d of it new", name, all, young)
		}
	}
	check("watch", newFacts(k), "main.keep m/a.go:7", [2]int64{18 * mb, 0}, [2]int64{8 * mb, 8 * mb})
	check("two takes", compared(makeTake(t, sizes{leak: mb}), k), "main.keep m/a.go:7", [2]int64{18 * mb, 0}, [2]int64{8 * mb, 7 * mb})
	f := newFacts(k)
	for place, want := range map[string]string{
		"(stack) > main.f > main.g.x map[int]*main.item > map[int]*main.item[value]": "main.keep m/a.go:7", // now below main.items
		"main.items > map[int]*main.item[val":                                        "", "main.item": "", "x > map[int]*main.item": "",
	} {
		if got := f.allocatedBy(place); got != want {
			t.Errorf("%s: allocated by %q, want %q", place, got, want)
		}
	}
	base := makeTake(t, sizes{leak: mb})
	delete(base.files, "inuse.2.pb.gz")
	check("two takes, one without inuse", compared(base, k), "", [2]int64{18 * mb, 0}, [2]int64{8 * mb, 0})
	delete(k.files, "refs.1.pb.gz")
	check("one moment", newFacts(k), "main.begin m/a.go:7", [2]int64{18 * mb, 18 * mb}, [2]int64{8 * mb, 8 * mb})
}

// TestLive has recordings during which the program allocated.
func TestLive(t *testing.T) {
	k := makeTake(t, sizes{})
	for i, n := range []int64{mb, 7 * mb} {
		k.files[numbered("refs", i+1)] = encode(t, makeProfile("live_objects live_space", nil,
			row{[]int64{100, 12 * mb}, "main.items", "root=global"}, row{[]int64{9, n}, "(allocated during GC)", "root=allocated"}))
	}
	f := newFacts(k)
	for i, want := range []int64{12 * mb, 20 * mb, 20 * mb, 12 * mb} {
		if got := f.Moments[collected[i]].Live; got != want {
			t.Errorf("moment %d: %d live, want %d", collected[i], got, want)
		}
	}
	if a, b := f.Moments[collected[0]].During, f.Moments[collected[3]].During; a != mb || b != 7*mb {
		t.Errorf("allocated during the recordings: %d, %d", a, b)
	}
}

// TestSampleTypes adds sample types before those that a profile has today.
func TestSampleTypes(t *testing.T) {
	k := makeTake(t, sizes{})
	k.files["refs.2.pb.gz"] = encode(t, makeProfile("scan_space unused_space live_space live_objects", nil,
		row{[]int64{1, 17 * mb, 18 * mb, 100}, "main.item.text []uint8 < map[int]*main.item[value] < main.items", "root=global"}))
	f := newFacts(k)
	if f.Refs.Bytes != 18*mb || f.Refs.Objects != 100 || f.Refs.Unused != 17*mb {
		t.Errorf("%+v", f.Refs)
	}
	if all := findUnused(f); len(all) != 1 || all[0].Place != "main.items > map[int]*main.item[value] > main.item.text []uint8" {
		t.Errorf("%+v", all)
	}
}

func TestUpstreamFacts(t *testing.T) {
	k := newTake()
	k.Seconds, k.Program = 30, "server"
	stats := "x\n\n# runtime.MemStats\n# Sys = 9\n# HeapAlloc = 40\n# HeapIdle = 30\n# HeapInuse = 50\n# HeapReleased = 10\n" +
		"# Stack = 3 / 4\n# MSpan = 1 / 2\n# MCache = 1 / 2\n# BuckHashSys = 1\n# GCSys = 1\n# OtherSys = 1\n# NextGC = 18446744073709551615\n# NumGC = 8\n"
	for i := range spaced + 2 {
		k.Moments = append(k.Moments, float64(i))
		k.files[numbered("goroutine", i)] = encode(t, makeProfile("goroutine", nil, row{[]int64{3}, "main.wait", ""}))
		at := strings.Replace(stats, "HeapAlloc = 40", fmt.Sprint("HeapAlloc = ", 40+i), 1)
		k.files["heap."+string(rune('0'+i))+".txt"] = []byte(at)
	}
	for i, n := range []int64{20 * mb, 40 * mb} {
		k.files[numbered("heap", i+1)] = encode(t, makeProfile("alloc_space inuse_space", nil, row{[]int64{mb, n}, "main.keep@/m/a.go", ""}))
	}
	k.files["heap.txt"] = []byte(stats)
	k.Missing["memory"], k.Missing["refs"] = "404", "404"
	f := newFacts(k)
	want := map[class]int64{objects: 47, fragmented: 3, free: 20, stacks: 4, structures: 7}
	for c, n := range want {
		if got := f.size(c); got != n {
			t.Errorf("%s: %d, want %d", c, got, n)
		}
	}
	if _, ok := f.now().Classes[resident]; ok || f.whole() != 81 || f.now().Cycle != 8 {
		t.Errorf("whole %d, cycle %d", f.whole(), f.now().Cycle)
	}
	if len(f.Missing) != 1 || f.Missing[0] != "memory, refs: 404" {
		t.Errorf("missing %q", f.Missing)
	}
	if all := find(f); len(all) != 1 || all[0].Place != "main.keep m/a.go:7" || all[0].Bytes != 20*mb {
		t.Errorf("findings %+v", all)
	}
}

// TestResidentMissing has a system that does not report the resident size.
func TestResidentMissing(t *testing.T) {
	k := makeTake(t, sizes{})
	const missing = "resident size: the system does not tell, and so it is the size of Go's memory alone"
	if f := newFacts(k); slices.Contains(f.Missing, missing) {
		t.Errorf("on Linux, missing %q", f.Missing)
	}
	for i := range spaced + 2 {
		k.files[numbered("memory", i)] = encode(t, makeProfile("taken_space memory_space",
			[]string{"after GC cycle 4: memory_space is Go's memory alone: this system does not report the resident size"},
			row{[]int64{20 * mb, 20 * mb}, "main.keep@/m/a.go < Live heap at the last collection < Go memory", ""}))
	}
	if f := newFacts(k); !slices.Contains(f.Missing, missing) || f.size(resident) != 20*mb {
		t.Errorf("missing %q", f.Missing)
	}
	if f := compared(makeTake(t, sizes{}), k); !slices.Contains(f.Missing, missing) {
		t.Errorf("compared: missing %q", f.Missing)
	}
}

func TestOwnFrame(t *testing.T) {
	for _, test := range []struct {
		stack, own, call string
	}{
		{"runtime.mmap < syscall.Mmap < main.load < main.main", "main.load", "syscall.Mmap"},
		{"golang.org/x/sys/unix.Mmap < go.etcd.io/bbolt.(*DB).mmap < main.main", "go.etcd.io/bbolt.(*DB).mmap", "golang.org/x/sys/unix.Mmap"},
		{"slices.Grow[go.shape.[]example.com/a.T] < example.com/a/b.F[go.shape.int]", "example.com/a/b.F[go.shape.int]", "slices.Grow[go.shape.[]example.com/a.T]"},
		{"runtime.gopark < runtime.main", "runtime.gopark", ""},
		{"runtime.gopark < net/http.(*persistConn).readLoop < net/http.(*Transport).dialConn.gowrap2", "net/http.(*persistConn).readLoop", ""},
		{"bufio.NewReaderSize < net/http.(*conn).serve < net/http.(*Server).Serve.gowrap3", "net/http.(*conn).serve", ""},
		{"Free heap < Go memory", "Free heap", ""},
	} {
		p := makeProfile("n", nil, row{[]int64{1}, test.stack, ""})
		own, call := ownFrame(frames(p.Sample[0]))
		if own.function != test.own || call.function != test.call {
			t.Errorf("%s: %q calls %q", test.stack, own.function, call.function)
		}
	}
}

func TestWaitState(t *testing.T) {
	for stack, want := range map[string]string{
		"runtime.gopark < runtime.netpollblock < internal/poll.runtime_pollWait < net.(*conn).Read < main.f": "io",
		"runtime.gopark < runtime.chansend < runtime.chansend1 < main.f":                                     "send",
		"runtime.gopark < internal/sync.runtime_SemacquireMutex < sync.(*Mutex).Lock < main.f":               "lock",
		"runtime.gopark < runtime.chanrecv < main.f < sync.(*Mutex).Lock":                                    "",
		"runtime.gopark < runtime.selectgo < main.f":                                                         "",
	} {
		p := makeProfile("n", nil, row{[]int64{1}, stack, ""})
		if got := waitState(frames(p.Sample[0])); got != want {
			t.Errorf("%s: %q, want %q", stack, got, want)
		}
	}
}
