// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build !plan9 && !windows

package main

/*
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

void goThreadStacksCallback();

static void threadStacksCallback() {
	goThreadStacksCallback();
}

// threadStacksThread is a thread with a large signal stack of its own.
static void *threadStacksThread(void *arg) {
	stack_t st = {0};
	st.ss_size = 1 << 20;
	st.ss_sp = malloc(st.ss_size);
	sigaltstack(&st, 0);
	goThreadStacksCallback();
	return 0;
}

static void startThreadStacksThread() {
	pthread_t t;
	pthread_create(&t, 0, threadStacksThread, 0);
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
	register("ThreadStacksCallback", ThreadStacksCallback)
}

var (
	threadStacksParked sync.WaitGroup
	threadStacksExit   = make(chan bool)
)

//export goThreadStacksCallback
func goThreadStacksCallback() {
	var a [3000]byte
	keepOnStack(a[:])
	threadStacksParked.Done()
	<-threadStacksExit
	keepOnStack(a[:])
}

//go:noinline
func keepOnStack(b []byte) { b[len(b)/2]++ }

// ThreadStacksCallback parks 10 goroutines and 10 threads of C in callbacks,
// writes the goroutine profile to $THREADSTACKS_PROFILE, and prints the size of
// all stacks in bytes.
func ThreadStacksCallback() {
	threadStacksParked.Add(20)
	for range 10 {
		go C.threadStacksCallback()
		C.startThreadStacksThread()
	}
	threadStacksParked.Wait()
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
		if err := os.WriteFile(os.Getenv("THREADSTACKS_PROFILE"), buf.Bytes(), 0o666); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(before)
		return
	}
	fmt.Println("the size of stacks keeps changing")
}
