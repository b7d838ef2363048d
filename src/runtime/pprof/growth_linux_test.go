// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// These tests check growth profiles of the program's own mappings, and of
// growth in a panic after a fault. They also compare the profile with the
// resident size that the kernel reports.

package pprof

import (
	"bytes"
	"crypto/md5"
	"fmt"
	"internal/race"
	"internal/testenv"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"syscall"
	"testing"
	"unsafe"
)

//go:noinline
func mapMemory(t *testing.T, n, flags int) []byte {
	b, err := syscall.Mmap(-1, 0, n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE|flags)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// mapLocked maps memory that must not be swapped. It returns nil if
// RLIMIT_MEMLOCK is too low for n bytes.
//
//go:noinline
func mapLocked(t *testing.T, n int) []byte {
	b, err := syscall.Mmap(-1, 0, n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_LOCKED)
	if err != nil {
		t.Log(err)
		return nil
	}
	return b
}

//go:noinline
func unmapMemory(t *testing.T, b []byte) {
	if err := syscall.Munmap(b); err != nil {
		t.Fatal(err)
	}
}

//go:noinline
func mapNothing(t *testing.T) {
	if _, err := syscall.Mmap(-1, 0, 0, syscall.PROT_READ, syscall.MAP_ANON|syscall.MAP_PRIVATE); err == nil {
		t.Error("no bytes are mapped")
	}
}

// remapMemory changes the size of a mapping from one number of bytes to
// another, and returns its address.
//
//go:noinline
func remapMemory(t *testing.T, addr, from, to uintptr) uintptr {
	addr, _, err := syscall.Syscall6(syscall.SYS_MREMAP, addr, from, to, mremapMayMove, 0, 0)
	if err != 0 {
		t.Fatal(err)
	}
	return addr
}

const mremapMayMove, mremapDontUnmap = 1, 4

// movePages moves the pages of a mapping to a new one, and leaves the old
// mapping in place. It returns 0 if the kernel does not support that (Linux 5.7
// and later do).
//
//go:noinline
func movePages(addr, length uintptr) uintptr {
	addr, _, err := syscall.Syscall6(syscall.SYS_MREMAP, addr, length, length, mremapMayMove|mremapDontUnmap, 0, 0)
	if err != 0 {
		return 0
	}
	return addr
}

// TestGrowthMmap checks that the program's mappings are counted to the byte, in
// whole pages.
func TestGrowthMmap(t *testing.T) {
	page := int64(os.Getpagesize())
	before := takeGrowth(t)
	small := mapMemory(t, int(3*page+1), 0)
	large := mapMemory(t, 64<<20, 0)
	full := mapMemory(t, 1<<20, syscall.MAP_POPULATE)
	locked := mapLocked(t, 1<<20)
	mapNothing(t)
	if err := testenv.Command(t, testenv.Executable(t), "-test.run=^$").Run(); err != nil {
		t.Fatal(err) // starting a process may make mappings, which must not be counted
	}
	lockedBytes := int64(len(locked))
	if locked != nil {
		unmapMemory(t, locked)
	}
	unmapMemory(t, large)
	unmapMemory(t, small)
	unmapMemory(t, full)
	const prot, flags = syscall.PROT_READ, syscall.MAP_ANON | syscall.MAP_PRIVATE
	trap := uintptr(syscall.SYS_MMAP)
	if runtime.GOARCH == "386" {
		trap = 192 // mmap2
	}
	addr, _, err := syscall.Syscall6(trap, 0, uintptr(page), prot, flags, ^uintptr(0), 0)
	if err != 0 {
		t.Fatal(err)
	}
	addr = remapMemory(t, addr, uintptr(page), uintptr(5*page))
	addr = remapMemory(t, addr, uintptr(5*page), uintptr(2*page))
	addr = remapMemory(t, addr, uintptr(page+1), uintptr(2*page-1))
	moved := movePages(addr, uintptr(2*page))
	for _, addr := range []uintptr{addr, moved} {
		if _, _, err := syscall.Syscall(syscall.SYS_MUNMAP, addr, uintptr(2*page), 0); addr != 0 && err != 0 {
			t.Fatal(err)
		}
	}
	two := 2 * page
	if moved == 0 {
		two = 0
	}
	after := takeGrowth(t)

	tests := []struct {
		function, typ string
		want          int64
	}{
		{"mapMemory", "mapped_space", 4*page + 64<<20 + 1<<20},
		{"mapMemory", "resident_space", 1 << 20},
		{"mapMemory", "growths", 4},
		{"mapMemory", "unmapped_space", 0},
		{"mapLocked", "mapped_space", lockedBytes},
		{"mapLocked", "resident_space", lockedBytes},
		{"unmapMemory", "unmapped_space", 4*page + 64<<20 + 1<<20 + lockedBytes},
		{"unmapMemory", "mapped_space", 0},
		{"mapNothing", "mapped_space", 0},
		{"remapMemory", "mapped_space", 4 * page},
		{"remapMemory", "unmapped_space", 3 * page},
		{"movePages", "mapped_space", two},
		{"movePages", "unmapped_space", 0},
		{"TestGrowthMmap", "mapped_space", 64<<20 + 1<<20 + 9*page + two + lockedBytes},
		{"TestGrowthMmap", "unmapped_space", 64<<20 + 1<<20 + 9*page + two + lockedBytes},
		{"forkExec", "mapped_space", 0},
	}
	for _, test := range tests {
		if got := after.sum(test.typ, "mmap", test.function) - before.sum(test.typ, "mmap", test.function); got != test.want {
			t.Errorf("%s of %s: %d, want %d", test.typ, test.function, got, test.want)
		}
	}
	checkGrowthTotals(t)
}

// TestGrowthInPanic makes memory grow in a deferred call while the
// frame-pointer register does not hold a frame pointer: assembly of package md5
// uses the register, and faults.
func TestGrowthInPanic(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	defer freeGrown()
	freeGrown() // so that the heap has no free memory for the objects
	f, err := os.Create(filepath.Join(t.TempDir(), "truncated"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(1 << 20); err != nil {
		t.Fatal(err)
	}
	data, err := syscall.Mmap(int(f.Fd()), 0, 1<<20, syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		t.Skip(err)
	}
	defer syscall.Munmap(data)
	if err := f.Truncate(4096); err != nil {
		t.Fatal(err)
	}
	before := takeGrowth(t)
	func() {
		defer func() {
			if recover() == nil {
				t.Error("no fault")
			}
		}()
		defer growLarge(8 << 20)
		md5.New().Write(data)
	}()
	after := takeGrowth(t)
	for _, typ := range []string{"resident_space", "growths"} {
		if n := after.sum(typ, "heap", "growLarge") - before.sum(typ, "heap", "growLarge"); n == 0 {
			t.Errorf("%s of growLarge is 0", typ)
		}
	}
	checkGrowthTotals(t)
}

// TestGrowthResident compares resident_space minus released_space, of the heap
// and of stacks, with the resident size that the kernel reports for the heap's
// mappings. It runs in a process of its own.
func TestGrowthResident(t *testing.T) {
	if os.Getenv("GROWTH_RESIDENT") != "" {
		const setTHPDisable = 41                                                                                                  // PR_SET_THP_DISABLE: huge pages would back more memory than the program asks for
		if _, _, err := syscall.RawSyscall6(syscall.SYS_PRCTL, setTHPDisable, 1, 0, 0, 0, 0); err != 0 && err != syscall.EINVAL { // EINVAL if the kernel has none
			t.Fatal(err)
		}
		growAndFree()
		g := takeGrowth(t)
		var taken int64
		for _, kind := range []string{"heap", "stack"} {
			taken += g.sum("resident_space", kind, "") - g.sum("released_space", kind, "")
		}
		fmt.Println(taken, residentHeap(t))
		os.Exit(0)
	}
	if race.Enabled {
		t.Skip("the race detector maps the heap in another way")
	}
	cmd := testenv.Command(t, testenv.Executable(t), "-test.run=^TestGrowthResident$")
	cmd.Env = append(cmd.Environ(), "GROWTH_RESIDENT=1")
	out, err := cmd.Output()
	var taken, resident int64
	if n, _ := fmt.Sscan(string(out), &taken, &resident); err != nil || n != 2 {
		t.Fatalf("%v\n%s", err, out)
	}
	if off := float64(taken)/float64(resident) - 1; math.Abs(off) > 0.01 {
		t.Errorf("%d bytes taken and not returned, %d resident: %+.4f", taken, resident, off)
	}
}

// growAndFree writes to 256 MiB of objects and frees every second MiB.
func growAndFree() {
	for i := range 256 << 10 {
		b := make([]byte, 1024)
		for k := range b {
			b[k] = 1
		}
		if i>>10%2 == 0 {
			growthKept = append(growthKept, b)
		} else {
			growthDropped = append(growthDropped, b)
		}
	}
	growthDropped = nil
	debug.FreeOSMemory()
}

var growthDropped [][]byte

// residentHeap returns the resident size, in bytes, of the mappings that
// contain objects.
func residentHeap(t *testing.T) (size int64) {
	t.Helper()
	smaps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	in := false
	for line := range bytes.Lines(smaps) {
		var from, to uintptr
		var kb int64
		if n, _ := fmt.Sscanf(string(line), "%x-%x ", &from, &to); n == 2 {
			in = false
			for i := 0; i < len(growthKept) && !in; i += 512 {
				p := uintptr(unsafe.Pointer(&growthKept[i][0]))
				in = from <= p && p < to
			}
		} else if n, _ := fmt.Sscanf(string(line), "Rss: %d kB", &kb); in && n == 1 {
			size += kb << 10
		}
	}
	return size
}
