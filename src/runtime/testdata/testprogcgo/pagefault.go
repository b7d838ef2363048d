// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build linux

package main

// A page fault profile of C code that touches memory: called from Go, and on
// threads that C has made. One of them calls Go, faults in C, and calls Go
// again. The other never calls Go. The program writes the profile to a file. It
// prints the file's name, and the faults of the process as getrusage counts
// them.

/*
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>

enum { faultPages = 20000, faultPageSize = 4096 };

extern void pageFaultsGo(char*);

static char* newPages(void) {
	char* p = mmap(NULL, (size_t)faultPages * faultPageSize, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED) {
		return NULL;
	}
	madvise(p, (size_t)faultPages * faultPageSize, MADV_NOHUGEPAGE);
	return p;
}

static void touchPagesInC(char* p) {
	int i;
	for (i = 0; i < faultPages; i++) {
		p[(size_t)i * faultPageSize] = 1;
	}
}

static void* pageFaultThread(void* p) {
	char** pages = p;
	pageFaultsGo(pages[0]);
	touchPagesInC(pages[1]);
	pageFaultsGo(pages[2]);
	return NULL;
}

static void* pageFaultThreadWithoutGo(void* p) {
	char** pages = p;
	touchPagesInC(pages[3]);
	return NULL;
}

static int runPageFaultThread(void* run(void*), char** pages) {
	pthread_t t;
	int err = pthread_create(&t, NULL, run, pages);
	if (err != 0) {
		return err;
	}
	return pthread_join(t, NULL);
}

static int runPageFaultThreads(void) {
	char* pages[4];
	int i, err;
	for (i = 0; i < 4; i++) {
		pages[i] = newPages();
		if (pages[i] == NULL) {
			return -1;
		}
	}
	err = runPageFaultThread(pageFaultThread, pages);
	if (err != 0) {
		return err;
	}
	return runPageFaultThread(pageFaultThreadWithoutGo, pages);
}
*/
import "C"

import (
	"fmt"
	"os"
	"runtime/pprof"
	"syscall"
	"unsafe"
)

func init() {
	register("PageFaults", PageFaults)
}

func PageFaults() {
	f, err := os.CreateTemp("", "pagefaults")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	defer f.Close()
	if err := pprof.StartPageFaultProfile(f); err != nil {
		fmt.Println("refused:", err)
		os.Remove(f.Name())
		return
	}
	before := processFaults()
	pageFaultsCallC()
	if err := C.runPageFaultThreads(); err != 0 {
		fmt.Fprintln(os.Stderr, "no thread:", err)
		os.Exit(2)
	}
	faults := processFaults() - before
	pprof.StopPageFaultProfile()
	fmt.Println(f.Name(), faults)
}

func processFaults() int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return int64(u.Minflt) + int64(u.Majflt)
}

//go:noinline
func pageFaultsCallC() {
	C.touchPagesInC(C.newPages())
}

//export pageFaultsGo
func pageFaultsGo(p *C.char) {
	pageFaultsTouch(unsafe.Slice((*byte)(unsafe.Pointer(p)), C.faultPages*C.faultPageSize))
}

//go:noinline
func pageFaultsTouch(b []byte) {
	for i := 0; i < len(b); i += C.faultPageSize {
		b[i] = 1
	}
}
