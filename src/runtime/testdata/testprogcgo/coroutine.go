// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build linux && !android

package main

// Threads of C that call Go on the stack of a coroutine, which is above their
// own, and then exit. The runtime gives up such a thread on the thread's own
// stack, while it still has the bounds of the coroutine's.
//
// With the argument "profile" the program takes a page fault profile meanwhile.

/*
#include <features.h>
#include <pthread.h>
#include <stddef.h>

extern void goOnCoroutine(void);

#ifdef __GLIBC__
#include <sys/mman.h>
#include <ucontext.h>

enum { coroutineStack = 1 << 20 };

typedef struct {
	ucontext_t thread, coroutine;
	char* memory; // two stacks
} coroutineThread;

static void* runCoroutine(void* arg) {
	coroutineThread* t = arg;
	getcontext(&t->coroutine);
	t->coroutine.uc_stack.ss_sp = t->memory + coroutineStack;
	t->coroutine.uc_stack.ss_size = coroutineStack;
	t->coroutine.uc_link = &t->thread;
	makecontext(&t->coroutine, goOnCoroutine, 0);
	swapcontext(&t->thread, &t->coroutine);
	return NULL;
}

static int runCoroutineThread(void) {
	coroutineThread t;
	pthread_attr_t attr;
	pthread_t id;
	int err;
	t.memory = mmap(NULL, 2 * coroutineStack, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0);
	if (t.memory == MAP_FAILED) {
		return -1;
	}
	pthread_attr_init(&attr);
	err = pthread_attr_setstack(&attr, t.memory, coroutineStack);
	if (err == 0) {
		err = pthread_create(&id, &attr, runCoroutine, &t);
	}
	pthread_attr_destroy(&attr);
	if (err == 0) {
		err = pthread_join(id, NULL);
	}
	munmap(t.memory, 2 * coroutineStack);
	return err;
}
#else
static int runCoroutineThread(void) {
	return 0; // musl has no makecontext
}
#endif
*/
import "C"

import (
	"fmt"
	"io"
	"os"
	"runtime/pprof"
	"sync"
)

func init() {
	register("Coroutine", Coroutine)
}

func Coroutine() {
	if len(os.Args) > 2 && os.Args[2] == "profile" {
		if err := pprof.StartPageFaultProfile(io.Discard); err != nil {
			fmt.Println("refused:", err)
			return
		}
		defer pprof.StopPageFaultProfile()
	}
	for range 20 {
		var threads sync.WaitGroup
		for range 4 {
			threads.Go(func() {
				if err := C.runCoroutineThread(); err != 0 {
					fmt.Fprintln(os.Stderr, "no thread:", err)
					os.Exit(2)
				}
			})
		}
		threads.Wait()
	}
	fmt.Println("OK")
}

//export goOnCoroutine
func goOnCoroutine() {}
