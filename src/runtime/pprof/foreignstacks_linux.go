// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file finds the stacks of threads that have them from C. The runtime
// knows its own threads. Of threads that C made, the kernel tells the stack
// pointer while they wait, in /proc/self/task/TID/syscall.

package pprof

import (
	"bytes"
	"strconv"
	"syscall"
	_ "unsafe" // for linkname
)

// maxThreads is the number of threads at whose stacks a profile looks.
const maxThreads = 4096

// threadStacks returns an address in the stack of each thread.
func threadStacks() []uintptr {
	stacks := make([]uintptr, maxThreads)
	n, c := pprof_threadStacks(stacks)
	if !c {
		return nil // all threads are Go's, and so are their stacks
	}
	return append(stacks[:n], waitingStacks()...)
}

// waitingStacks returns the stack pointers of threads that wait, without those
// in Go's heap.
func waitingStacks() (stacks []uintptr) {
	dir, err := syscall.Open("/proc/self/task", syscall.O_RDONLY|syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer syscall.Close(dir)
	data, entries := make([]byte, 512), make([]byte, 8<<10)
	for len(stacks) < maxThreads {
		n, err := syscall.ReadDirent(dir, entries) // package os would make executables larger
		if err != nil || n <= 0 {
			break
		}
		_, _, threads := syscall.ParseDirent(entries[:n], -1, nil)
		for _, thread := range threads {
			if sp := stackPointer(data[:readFile("/proc/self/task/"+thread+"/syscall", data)]); sp != 0 && !pprof_inHeap(sp) {
				stacks = append(stacks, sp)
			}
		}
	}
	return stacks
}

// stackPointer returns the last but one of the numbers in data, such as
//
//	202 0x7f 0x80 0x0 0x0 0x0 0x0 0x7ffd8c2b4e20 0x7f1b2a
//
// If the thread runs, there are none, and it returns 0.
func stackPointer(data []byte) uintptr {
	fields := bytes.Fields(data)
	if len(fields) < 3 {
		return 0
	}
	sp, err := strconv.ParseUint(string(fields[len(fields)-2]), 0, 64)
	if err != nil {
		return 0
	}
	return uintptr(sp)
}

// readFile returns how many bytes of a file it has read into data. It does not
// go through the poller, because there may be thousands of threads.
func readFile(name string, data []byte) int {
	fd, err := syscall.Open(name, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return 0
	}
	defer syscall.Close(fd)
	n, err := syscall.Read(fd, data)
	if err != nil {
		return 0
	}
	return n
}

// pprof_threadStacks is defined in runtime/programmemory.go.
//
//go:linkname pprof_threadStacks runtime.pprof_threadStacks
func pprof_threadStacks(p []uintptr) (n int, c bool)
