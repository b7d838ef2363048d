// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Growth makes the heap and stacks take memory from the operating system, again
// and again.
package main

import (
	"runtime/debug"

	"gorefs/misc/bench/programs/iterate"
)

func main() {
	iterate.Main(map[string]iterate.Body{
		"small": returned(64),
		"spans": returned(8 << 10),
		"large": returned(256 << 10),
		"limit": limit,
		"stack": stack,
	})
}

var sink [][]byte

// returned returns a body that fills 16 MiB with objects, frees them, and
// returns their memory to the operating system.
func returned(size int) func(n int) {
	return func(n int) {
		for range n {
			for range 16 << 20 / size {
				sink = append(sink, make([]byte, size))
			}
			sink = nil
			debug.FreeOSMemory()
		}
	}
}

// limit allocates 1 MiB of 1 KiB objects at a time, and at every 16th time also
// an object of 4 MiB, with a memory limit that makes the scavenger work all the
// time.
func limit(n int) {
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(24 << 20)
	for i := range n {
		if i%8 == 0 {
			sink = nil
		}
		for range 1 << 10 {
			sink = append(sink, make([]byte, 1<<10))
		}
		if i%16 == 0 {
			sink = append(sink, make([]byte, 4<<20))
		}
	}
}

// stack starts a goroutine whose stack grows to 128 KiB.
func stack(n int) {
	done := make(chan bool)
	for range n {
		go func() {
			deep(100)
			done <- true
		}()
		<-done
	}
}

//go:noinline
func deep(n int) byte {
	var frame [1024]byte
	if n == 0 {
		return frame[n]
	}
	return deep(n-1) + frame[n]
}
