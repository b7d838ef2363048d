// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Program cgo takes memory in C, and writes the profile memory to the standard
// output. To the standard error it writes what it knows: a class, and the
// least and the most bytes that the class has.
package main

/*
#cgo LDFLAGS: -lpthread
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { block = 1000 };

static void fill(size_t bytes) {
	for (size_t n = 0; n < bytes; n += block)
		memset(malloc(block), 1, block);
}

static char *heapEnd(void) { return sbrk(0); }

static pthread_barrier_t done;
static int ids[64];

// finish waits for the other threads, and then forever.
static void finish(int id) {
	ids[id] = syscall(SYS_gettid);
	pthread_barrier_wait(&done);
	for (;;)
		poll(0, 0, -1);
}

static size_t bytes;

static void *fillThread(void *id) {
	fill(bytes);
	finish((long)id);
	return 0;
}

static void *stackThread(void *id) {
	char room[bytes];
	memset(room, 1, sizeof room);
	__asm__ volatile("" : : "r"(room) : "memory");
	finish((long)id);
	return 0;
}

// waits reports whether a thread waits in poll.
static int waits(int id) {
	char name[64], text[64] = "running";
	snprintf(name, sizeof name, "/proc/self/task/%d/syscall", id);
	FILE *f = fopen(name, "r");
	if (f && fgets(text, sizeof text, f))
		fclose(f);
	return text[0] != 'r' && atoi(text) != SYS_futex;
}

static int threads(int n, size_t size, int stacks) {
	bytes = size;
	pthread_barrier_init(&done, 0, n + 1);
	for (long i = 0; i < n; i++) {
		pthread_t t;
		if (pthread_create(&t, 0, stacks ? stackThread : fillThread, (void *)i))
			return -1;
	}
	pthread_barrier_wait(&done);
	for (int i = 0; i < n; i++)
		while (!waits(ids[i]))
			usleep(1000);
	return 0;
}
*/
import "C"

import (
	"fmt"
	"os"
	"plugin"
	"runtime"
	"runtime/pprof"
	"unsafe"
)

const (
	mega    = 1 << 20
	threads = 32
)

func init() { runtime.LockOSThread() } // the main thread, whose malloc takes the heap

func main() {
	switch os.Args[1] {
	case "heap":
		start := C.heapEnd()
		C.fill(64 * mega)
		grown := uintptr(unsafe.Pointer(C.heapEnd())) - uintptr(unsafe.Pointer(start))
		know("C heap > [heap]", 64*mega, int(grown)+mega)
	case "arenas": // a block has 16 bytes of malloc's, and an arena grows by 132 KiB
		C.threads(threads, 2*mega, 0)
		know("C heap", threads*2*mega, threads*2*mega*1016/1000+threads*mega/4)
		know("C stacks", threads*4<<10, threads*64<<10)
	case "large arenas": // the heap and one arena of several parts
		C.threads(threads, 4*mega, 0)
		know("C heap", threads*4*mega, threads*4*mega*1016/1000+2*mega)
	case "stacks":
		C.threads(threads, 2*mega, 1)
		know("C stacks", threads*2*mega, threads*(2*mega+64<<10))
	case "plugin":
		p, err := plugin.Open(os.Args[2])
		check(err)
		touch, err := p.Lookup("Touch")
		check(err)
		n := touch.(func() int)()
		know("Executable and libraries > "+os.Args[2], n, n+8*mega)
	}
	check(pprof.Lookup("memory").WriteTo(os.Stdout, 0))
}

func know(class string, least, most int) {
	fmt.Fprintf(os.Stderr, "%s: %d to %d\n", class, least, most)
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
