// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pprof

import (
	"bytes"
	"fmt"
	"internal/race"
	"internal/testenv"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// residentBulk is the memory that a case takes, and residentLeast what the
// profile must have of it.
const (
	residentBulk  = 64 << 20
	residentLeast = residentBulk * 94 / 100
)

// residentCases are programs whose memory is mostly in one class. Each runs in
// a process of its own.
var residentCases = []struct {
	name, env string
	do        func(t *testing.T)
	class     string // has at least residentBulk bytes of memory_space, within some percent
}{
	{"start", "GOGC=off", func(*testing.T) {}, ""},
	{"before a collection", "GOGC=off", func(*testing.T) { memUsageKept = allocMemUsage(residentBulk>>10, 1<<10) }, "Go memory > Allocated since the start"},
	{"since a collection", "GOGC=off", func(*testing.T) { runtime.GC(); memUsageKept = allocMemUsage(residentBulk>>10, 1<<10) }, memUsageNew},
	{"live", "GOGC=off", func(*testing.T) { memUsageKept = allocMemUsage(residentBulk>>10, 1<<10); runtime.GC() }, memUsageLive},
	{"one collection", "GOGC=off", func(*testing.T) { fragmentHeap(); runtime.GC() }, "Go memory > Fragmented heap"},
	{"two collections", "GOGC=off", func(*testing.T) { fragmentHeap(); runtime.GC(); runtime.GC() }, "Go memory > Fragmented heap"},
	{"automatic collections", "GOGC=50", func(*testing.T) { fragmentHeap() }, ""},
	{"free", "GOGC=off", func(*testing.T) { allocMemUsage(residentBulk>>20, 1<<20); runtime.GC() }, "Go memory > Free heap"},
	{"idle", "GOGC=off", func(*testing.T) { allocMemUsage(residentBulk>>20, 1<<20); debug.FreeOSMemory() }, ""},
	{"MADV_FREE", "GODEBUG=madvdontneed=0", func(*testing.T) { allocMemUsage(residentBulk>>20, 1<<20); debug.FreeOSMemory() }, "Go memory > Released heap > LazyFree"},
	{"huge pages", "GOGC=off", collapseReleased, "Go memory > Released heap > Huge pages"},
	{"mapping", "GOGC=off", mapBulk, notGoMemory},
	{"stacks", "GOGC=off", func(*testing.T) { growBulkStacks() }, "Go memory > Goroutine stacks"},
	{"untouched", "GOGC=off GODEBUG=memprofilerate=1024", keepUntouched, "Go memory > Allocated since the start"},
}

// BenchmarkMemUsagePages looks at the pages of a heap of 256 MiB.
func BenchmarkMemUsagePages(b *testing.B) {
	startMemUsage(b)
	data := touchBulk(make([]byte, 256<<20))
	var pages pagemap
	closePages, err := pages.open()
	if err != nil {
		b.Fatal(err)
	}
	defer closePages()
	for _, source := range []struct {
		name string
		fill func(base, n uintptr, present []byte) bool
	}{{"scan", pages.fill}, {"mincore", nil}} {
		b.Run(source.name, func(b *testing.B) {
			for b.Loop() {
				pprof_memProfileUsage(func() {}, source.fill)
			}
		})
	}
	runtime.KeepAlive(data)
}

// TestMemUsageResident compares the sum of the profile with the resident size,
// as the test reads it before and after the profile, and the class that has
// most of it with what the program has done.
func TestMemUsageResident(t *testing.T) {
	if _, ok := smapsRollup.read(); !ok {
		t.Skip("no", smapsRollup.name)
	}
	if race.Enabled {
		t.Skip("the race detector's memory is other memory")
	}
	for _, test := range residentCases {
		t.Run(test.name, func(t *testing.T) {
			if !ownProcess(t, strings.Fields(test.env)...) {
				return
			}
			start, _ := smapsRollup.read()
			var buf bytes.Buffer
			var before, after residentMemory
			for range 5 {
				test.do(t)
				buf.Reset()
				buf.Grow(1 << 20)
				before, _ = smapsRollup.read()
				if err := Lookup("memory").WriteTo(&buf, 0); err != nil {
					t.Fatal(err)
				}
				after, _ = smapsRollup.read()
				if test.name != "MADV_FREE" || min(before.lazy, after.lazy) >= residentLeast {
					break
				} // else the system has taken some of the memory
			}
			r := parseMemUsage(t, buf.Bytes())
			if sum := uint64(r.bytes[""]); sum < before.bytes-before.bytes/100 || sum > after.bytes+after.bytes/100 {
				t.Errorf("sum %d, resident %d before and %d after", sum, before.bytes, after.bytes)
			}
			if r.absent == 0 {
				t.Skip("the system does not tell which pages are present")
			}
			if test.class != "" {
				most := int64(residentBulk * 11 / 10)
				if test.name == "mapping" {
					most += int64(start.bytes)
				}
				if n := below(r.bytes, test.class); n < residentLeast || n > most {
					t.Errorf("%s: %d bytes, want %d to %d: %v", test.class, n, residentBulk, most, r.bytes)
				}
			}
			// The rest of the process is the test binary, of which the
			// profile touches more, and what the runtime needs.
			if n := below(r.bytes, notGoMemory); test.name != "mapping" && (n < 1<<20 || n > int64(start.bytes)+8<<20) {
				t.Errorf("%d bytes not Go's, %d resident at the start: %v", n, start.bytes, r.bytes)
			}
			if test.name == "untouched" {
				untouched := siteIn(r.bytes, test.class, "keepUntouched")
				touched := r.site(test.class, "allocMemUsage")
				if taken := siteIn(r.taken, test.class, "keepUntouched"); taken < 4*residentBulk || untouched > residentBulk/100 || touched < residentBulk*9/10 {
					t.Errorf("%d bytes of %d untouched, %d touched: %v", untouched, taken, touched, r.bytes)
				}
			}
		})
	}
}

// fragmentHeap fills the heap with small objects, and keeps two in each span.
func fragmentHeap() {
	all := allocMemUsage(residentBulk>>8*16/15, 256)
	for i := 0; i < len(all); i += 16 {
		memUsageKept = append(memUsageKept, all[i])
	}
}

// keepUntouched keeps objects of several sizes that nothing touches, and
// objects that it touches.
func keepUntouched(*testing.T) {
	memUsageKept = allocMemUsage(residentBulk>>20, 1<<20)
	for size := 4 * residentBulk; size > 16<<10; size /= 4 {
		memUsageKept = append(memUsageKept, make([]byte, size))
	}
}

// collapseReleased keeps one page of each 2 MiB of the heap, releases the rest,
// and makes the system bring it back.
func collapseReleased(t *testing.T) {
	const huge, madvCollapse = 2 << 20, 25
	all := allocMemUsage(residentBulk/(8<<10)*17/16, 8<<10)
	at := make(map[uintptr]int)
	for i, b := range all {
		at[addressOf(b)&^(huge-1)] = i
	}
	for _, i := range at {
		memUsageKept = append(memUsageKept, all[i])
	}
	all = nil
	debug.FreeOSMemory()
	collapsed := 0
	for _, b := range memUsageKept {
		base := addressOf(b) &^ (huge - 1)
		if _, _, errno := syscall.Syscall(syscall.SYS_MADVISE, base, huge, madvCollapse); errno == 0 {
			collapsed += huge
		}
	}
	if collapsed < residentBulk {
		t.Skipf("%d bytes collapsed", collapsed)
	}
}

func mapBulk(t *testing.T) {
	data, err := syscall.Mmap(-1, 0, residentBulk-4<<20, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Skip(err)
	}
	for i := 0; i < len(data); i += os.Getpagesize() {
		data[i] = 1
	}
}

// growBulkStacks has goroutines whose stacks, of 32 KiB each, are used.
func growBulkStacks() {
	var ready sync.WaitGroup
	for range residentBulk >> 15 {
		ready.Add(1)
		go func() {
			var room [28 << 10]byte
			touchStack(&room)
			ready.Done()
			select {}
		}()
	}
	ready.Wait()
}

//go:noinline
func touchStack(room *[28 << 10]byte) {
	for i := range room {
		room[i] = byte(i)
	}
}

// TestMemUsageC has memory of C's.
func TestMemUsageC(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program with cgo")
	}
	testenv.MustHaveGoBuild(t)
	testenv.MustHaveCGO(t)
	dir := t.TempDir()
	source := filepath.Join(dir, "main.go")
	if err := os.WriteFile(source, []byte(`package main

// #include <stdlib.h>
// #include <string.h>
// static char *take(size_t n) { return memset(malloc(n), 1, n); }
import "C"
import (
	"os"
	"runtime/pprof"
)

var taken *C.char

func main() {
	taken = C.take(`+fmt.Sprint(residentBulk)+`)
	pprof.Lookup("memory").WriteTo(os.Stdout, 0)
}
`), 0o666); err != nil {
		t.Fatal(err)
	}
	exe := filepath.Join(dir, "main")
	if out, err := testenv.Command(t, testenv.GoToolPath(t), "build", "-o", exe, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := testenv.Command(t, exe).Output()
	if err != nil {
		t.Fatal(err)
	}
	r := parseMemUsage(t, out)
	if n := below(r.bytes, notGoMemory); r.bytes[""] != r.resident || n < residentBulk || n > residentBulk+8<<20 {
		t.Errorf("%v: %q", r.bytes, r.Comments)
	}
}
