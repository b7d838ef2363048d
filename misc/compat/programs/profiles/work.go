// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"context"
	"runtime"
	"runtime/pprof"
	"sync"
	"time"
)

type record struct {
	next *record
	name string
	data []byte
}

var (
	records  map[string]*record
	contents [][]byte
)

// work makes samples for the profiles: it starts goroutines that allocate,
// recurse, wait and lock until stop is called, and one that leaks.
func work() (stop func()) {
	runtime.MemProfileRate = 1024
	runtime.SetBlockProfileRate(1)
	runtime.SetMutexProfileFraction(1)
	records = map[string]*record{}
	done := make(chan struct{})
	var running sync.WaitGroup
	for _, who := range []string{"ana", "ben", ""} {
		running.Add(1)
		pprof.Do(context.Background(), pprof.Labels("who", who), func(context.Context) {
			go func() {
				defer running.Done()
				allocate(who, done)
			}()
		})
	}
	go forget() // for goroutineleak
	time.Sleep(200 * time.Millisecond)
	return func() {
		close(done)
		running.Wait()
	}
}

var lock sync.Mutex

func allocate(who string, done chan struct{}) {
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for i := 0; ; i++ {
		lock.Lock()
		records[who] = &record{next: records[who], name: who, data: make([]byte, 100+i%5000)}
		if i%100 == 0 {
			contents = append(contents, make([]byte, 1<<20))
			clear(contents[len(contents)-1])
			if len(contents) > 20 {
				contents = contents[10:]
			}
		}
		lock.Unlock()
		deep(i % 200)
		select {
		case <-done:
			return
		case <-tick.C:
		}
	}
}

//go:noinline
func deep(n int) int {
	var frame [64]int
	frame[n%64] = n
	if n == 0 {
		return frame[0]
	}
	return deep(n-1) + frame[n%64]
}

func forget() {
	c := make(chan *record)
	c <- &record{name: "leaked"}
}
