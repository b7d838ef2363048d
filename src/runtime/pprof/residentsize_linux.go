// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file reads the resident size of the process on Linux. memory.go
// subtracts Go's memory from it.

package pprof

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strconv"
	"syscall"
	_ "unsafe" // for linkname
)

// rollupLimit is the largest resident size, in bytes, at which smaps_rollup is
// read. For that file, the kernel walks the page tables of the process. The
// time that this takes grows with the number of pages (BenchmarkResidentSize).
// During the walk the kernel maps and unmaps nothing for the process, so the Go
// heap cannot grow.
const rollupLimit = 1 << 30

// residentSize returns the resident size of the process, from the file that has
// it, or the zero value if none has.
func residentSize() residentMemory { return residentSizeUpTo(rollupLimit) }

// residentSizeUpTo is residentSize with a limit, in bytes, up to which
// smaps_rollup is read. smaps_rollup is exact. The other source is statm, whose
// counters may lag. Before Linux 6.2 they lag by up to 64 pages for each
// thread. From Linux 6.2 to 6.15 they lag by up to max(32, 2n) pages for each
// of n CPUs. Since Linux 6.16 statm does not lag, because it adds up the counts
// of all CPUs. There is no smaps_rollup before Linux 4.14, or in a kernel
// without the option PROC_PAGE_MONITOR.
func residentSizeUpTo(limit uint64) residentMemory {
	size, ok := statm.read()
	if !ok || size.bytes <= limit {
		if exact, ok := smapsRollup.read(); ok {
			return exact
		}
	}
	return size
}

// selfFile returns the path of a file that says something of the process. When
// its first thread has ended, only those of the other threads do. Package
// runtime/cgo/mallocprofile calls it.
//
//go:linkname selfFile
func selfFile(name string) string {
	if data, _ := os.ReadFile("/proc/self/statm"); bytes.HasPrefix(data, []byte("0 ")) {
		return "/proc/thread-self/" + name
	}
	return "/proc/self/" + name
}

func openSelf(name string) (*os.File, error) { return os.Open(selfFile(name)) }

// noDescriptor returns err if it says that too many files are open, and otherwise
// nil.
func noDescriptor(err error) error {
	if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
		return err
	}
	return nil
}

var (
	smapsRollup = residentFile{"smaps_rollup", rollupSize}
	statm       = residentFile{"statm", statmSize}
)

// A residentFile is a file from whose contents size computes the resident size
// and the part that is lazily freed, in bytes.
type residentFile struct {
	name string
	size func(data []byte) (bytes, lazy uint64, ok bool)
}

func (f residentFile) read() (m residentMemory, ok bool) {
	file, err := openSelf(f.name)
	if err != nil {
		return residentMemory{err: noDescriptor(err)}, false
	}
	defer file.Close()
	data, err := io.ReadAll(file)
	if err != nil {
		return residentMemory{}, false
	}
	if m.bytes, m.lazy, ok = f.size(data); !ok {
		return residentMemory{}, false
	}
	m.source = "/proc/self/" + f.name
	return m, true
}

// rollupSize returns the sizes in lines such as "Rss:    1668 kB".
func rollupSize(data []byte) (size, lazy uint64, ok bool) {
	for line := range bytes.Lines(data) {
		fields := bytes.Fields(line)
		if len(fields) != 3 || string(fields[2]) != "kB" {
			continue
		}
		kb, err := strconv.ParseUint(string(fields[1]), 10, 54)
		switch string(fields[0]) {
		case "Rss:":
			size, ok = kb<<10, err == nil
		case "LazyFree:":
			lazy = kb << 10
		}
	}
	return size, lazy, ok
}

// statmSize returns the size in the second field, which is in pages. All of it
// may be lazily freed.
func statmSize(data []byte) (size, lazy uint64, ok bool) {
	fields := bytes.Fields(data)
	if len(fields) < 2 {
		return 0, 0, false
	}
	pages, err := strconv.ParseUint(string(fields[1]), 10, 40)
	size = pages * uint64(os.Getpagesize())
	return size, size, err == nil
}
