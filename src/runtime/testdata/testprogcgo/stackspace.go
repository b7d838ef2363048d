// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build !plan9 && !windows

package main

/*
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

void goStackSpaceCallback();

static void stackSpaceCallback() {
	goStackSpaceCallback();
}

// stackSpaceThread is a thread with a large signal stack of its own.
static void *stackSpaceThread(void *arg) {
	stack_t st = {0};
	st.ss_size = 1 << 20;
	st.ss_sp = malloc(st.ss_size);
	sigaltstack(&st, 0);
	goStackSpaceCallback();
	return 0;
}

static void startStackSpaceThread() {
	pthread_t t;
	pthread_create(&t, 0, stackSpaceThread, 0);
	pthread_detach(t);
}
*/
import "C"

import (
	"bytes"
	"fmt"
	"os"
	"runtime/metrics"
	"runtime/pprof"
	"sync"
	"time"
)

func init() {
	register("StackSpaceCallback", StackSpaceCallback)
}

var (
	stackSpaceParked sync.WaitGroup
	stackSpaceExit   = make(chan bool)
)

//export goStackSpaceCallback
func goStackSpaceCallback() {
	var a [3000]byte
	keepOnStack(a[:])
	stackSpaceParked.Done()
	<-stackSpaceExit
	keepOnStack(a[:])
}

//go:noinline
func keepOnStack(b []byte) { b[len(b)/2]++ }

// StackSpaceCallback parks 10 goroutines and 10 threads of C in callbacks,
// writes the goroutine profile to $STACKSPACE_PROFILE, and prints the size of
// all stacks in bytes.
func StackSpaceCallback() {
	stackSpaceParked.Add(20)
	for range 10 {
		go C.stackSpaceCallback()
		C.startStackSpaceThread()
	}
	stackSpaceParked.Wait()
	size := []metrics.Sample{{Name: "/memory/classes/heap/stacks:bytes"}}
	for range 100 {
		time.Sleep(10 * time.Millisecond) // goroutines park after Done
		metrics.Read(size)
		before := size[0].Value.Uint64()
		var buf bytes.Buffer
		if err := pprof.Lookup("goroutine").WriteTo(&buf, 0); err != nil {
			fmt.Println(err)
			return
		}
		metrics.Read(size)
		if size[0].Value.Uint64() != before {
			continue
		}
		if err := os.WriteFile(os.Getenv("STACKSPACE_PROFILE"), buf.Bytes(), 0o666); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(before)
		return
	}
	fmt.Println("the size of stacks keeps changing")
}
