// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// These tests check the resident size in the profile named memory.

package pprof

import (
	"bytes"
	"errors"
	"internal/race"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestMemUsageNotGo maps memory that is not Go's. It runs in a process of its
// own, because Go memory that other tests have left may become resident during
// the test.
func TestMemUsageNotGo(t *testing.T) {
	if !ownProcess(t) {
		return
	}
	startMemUsage(t)
	const size = 64 << 20
	data, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Skip(err)
	}
	defer syscall.Munmap(data)
	mapped := takeMemUsage(t)
	for i := 0; i < len(data); i += os.Getpagesize() {
		data[i] = 1
	}
	touched := takeMemUsage(t)
	grown := func(path string) int64 { return below(touched.bytes, path) - below(mapped.bytes, path) }
	const slack = 4 << 20 // bytes that the test itself, and qemu for it, may use between the profiles
	n := grown(notGoMemory)
	if race.Enabled {
		n -= grown(notGoMemory + " > Other") // the detector keeps 3.2 to 4.1 MB for a profile's objects
		if in := grown(notGoMemory + " > Mapped by the program"); in != size {
			t.Errorf("%d bytes more are mapped by the program, want %d: %q", in, size, touched.Comments)
		}
	}
	if n < size-slack || n > size+slack {
		t.Errorf("%d bytes more that are not Go's, want %d: %q", n, size, touched.Comments)
	}
}

// TestMemUsageNoDescriptor takes a profile when no file can be opened. Without
// the resident size it would lack what is not Go's, and so it is an error.
func TestMemUsageNoDescriptor(t *testing.T) {
	if !ownProcess(t) {
		return
	}
	startMemUsage(t)
	if m := residentSize(); m.source == "" {
		t.Skip("no resident size")
	}
	var limit, old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &old); err != nil {
		t.Skip(err)
	}
	limit.Cur, limit.Max = min(old.Cur, 64), old.Max
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Skip(err)
	}
	var files []int
	for {
		fd, err := syscall.Open("/dev/null", syscall.O_RDONLY, 0)
		if err != nil {
			break
		}
		files = append(files, fd)
	}
	var b bytes.Buffer
	err := Lookup("memory").WriteTo(&b, 0)
	for _, fd := range files {
		syscall.Close(fd)
	}
	if !errors.Is(err, syscall.EMFILE) && !errors.Is(err, syscall.ENFILE) || b.Len() != 0 {
		t.Errorf("%d bytes, error %v", b.Len(), err)
	}
	if r := takeMemUsage(t); r.bytes[""] != r.resident {
		t.Errorf("sum %d, resident %d", r.bytes[""], r.resident)
	}
}

// TestResidentSource checks which source is used.
func TestResidentSource(t *testing.T) {
	want := smapsRollup.name
	if _, ok := smapsRollup.read(); !ok {
		want = statm.name
	}
	if _, ok := statm.read(); !ok {
		t.Skip("no /proc")
	}
	for _, test := range []struct {
		limit uint64
		want  string
	}{{0, statm.name}, {1 << 62, want}} {
		if m := residentSizeUpTo(test.limit); m.source != "/proc/self/"+test.want || m.bytes == 0 {
			t.Errorf("limit %d: %+v, want %s", test.limit, m, test.want)
		}
	}
}

// TestResidentSize compares the two sources, and reads made-up contents of the
// files.
func TestResidentSize(t *testing.T) {
	// The scavenger may release memory between the two readings.
	for attempt := 1; ; attempt++ {
		sizes := residentSizes(t)
		if len(sizes) < 2 || max(sizes[0], sizes[1])-min(sizes[0], sizes[1]) < 8<<20 {
			break
		}
		if attempt == 100 {
			t.Fatalf("sizes %d", sizes)
		}
	}
	for _, data := range []string{"", "Rss:", "Rss: x kB", "1", "1 x", "1 99999999999999999999"} {
		for _, f := range []residentFile{smapsRollup, statm} {
			if size, _, ok := f.size([]byte(data)); ok {
				t.Errorf("%s: %d for %q", f.name, size, data)
			}
		}
	}
	for _, data := range []string{"Pss: 12 kB\n", "Rss: 12 MB\n", "Rss: 1"} {
		if n, _, ok := rollupSize([]byte(data)); ok {
			t.Errorf("%d bytes for %q", n, data)
		}
	}
	if n, lazy, ok := rollupSize([]byte("00400000-7ffd r--p 0 00:00 0 [rollup]\nRss:  1668 kB\nPss: 1 kB\nLazyFree: 12 kB\n")); !ok || n != 1668<<10 || lazy != 12<<10 {
		t.Errorf("%d bytes, %d lazily freed, %t", n, lazy, ok)
	}
	if n, lazy, ok := statmSize([]byte("765 421 393 5 0 123 0\n")); !ok || n != 421*uint64(os.Getpagesize()) || lazy != n {
		t.Errorf("%d bytes, %d lazily freed, %t", n, lazy, ok)
	}
}

// residentSizes returns the resident size from each source that exists.
func residentSizes(t *testing.T) (sizes []uint64) {
	for _, f := range []residentFile{smapsRollup, statm} {
		data, err := os.ReadFile(f.name)
		if err != nil {
			t.Log(err)
			continue
		}
		size, _, ok := f.size(data)
		if !ok || size < 1<<20 || size > 1<<40 {
			t.Errorf("%s: %d, %t: %q", f.name, size, ok, data)
		}
		sizes = append(sizes, size)
	}
	return sizes
}

// BenchmarkResidentSize reads the resident size of a process that has 256 MiB
// in small pages.
func BenchmarkResidentSize(b *testing.B) {
	data, err := syscall.Mmap(-1, 0, 256<<20, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		b.Fatal(err)
	}
	defer syscall.Munmap(data)
	syscall.Madvise(data, syscall.MADV_NOHUGEPAGE) // an error means that the kernel has no huge pages
	for i := 0; i < len(data); i += os.Getpagesize() {
		data[i] = 1
	}
	for _, f := range []residentFile{smapsRollup, statm} {
		b.Run(filepath.Base(f.name), func(b *testing.B) {
			for b.Loop() {
				if _, ok := f.read(); !ok {
					b.Skip("not there")
				}
			}
		})
	}
}
