// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The resident size of the process on Linux, from which memory.go subtracts Go's memory.

package pprof

import (
	"bytes"
	"os"
	"strconv"
)

// rollupLimit is up to which resident size smaps_rollup is read. For that the kernel walks
// the page tables, some 10 milliseconds for each GB of small pages (BenchmarkResidentSize),
// during which it maps and unmaps nothing for the process: the Go heap cannot grow.
const rollupLimit = 1 << 30

// residentSize returns the resident size of the process in bytes and where it is from, or
// 0 and "".
func residentSize() (size uint64, source string) { return residentSizeUpTo(rollupLimit) }

// residentSizeUpTo is residentSize with a limit for smaps_rollup, which is exact. The other
// source is statm, of counters that may lag: by 64 pages for each thread before Linux 6.2, and
// later by twice as many pages as there are CPUs, for each of them (see proc_pid_statm(5)).
// There is no smaps_rollup before Linux 4.14, or without the kernel's option
// PROC_PAGE_MONITOR.
func residentSizeUpTo(limit uint64) (size uint64, source string) {
	size, ok := statm.read()
	if !ok || size <= limit {
		if exact, ok := smapsRollup.read(); ok {
			return exact, smapsRollup.name
		}
	}
	if !ok {
		return 0, ""
	}
	return size, statm.name
}

var (
	smapsRollup = residentFile{"/proc/self/smaps_rollup", rollupSize}
	statm       = residentFile{"/proc/self/statm", statmSize}
)

// A residentFile has the resident size in bytes, by its contents.
type residentFile struct {
	name string
	size func(data []byte) (size uint64, ok bool)
}

func (f residentFile) read() (size uint64, ok bool) {
	data, err := os.ReadFile(f.name)
	if err != nil {
		return 0, false
	}
	return f.size(data)
}

// rollupSize reads a line like "Rss:    1668 kB".
func rollupSize(data []byte) (uint64, bool) {
	for line := range bytes.Lines(data) {
		if fields := bytes.Fields(line); len(fields) == 3 && string(fields[0]) == "Rss:" && string(fields[2]) == "kB" {
			kb, err := strconv.ParseUint(string(fields[1]), 10, 54)
			return kb << 10, err == nil
		}
	}
	return 0, false
}

// statmSize reads the second of the numbers, which is in pages.
func statmSize(data []byte) (uint64, bool) {
	fields := bytes.Fields(data)
	if len(fields) < 2 {
		return 0, false
	}
	pages, err := strconv.ParseUint(string(fields[1]), 10, 40)
	return pages * uint64(os.Getpagesize()), err == nil
}
