// run

// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Takes refs profiles of small heaps, and an inuse profile of many sampled
// objects of few sites. The memory of a recording must be in proportion to the
// heap, no object may be lost, and the profiles must not increase the memory
// that the runtime counts as metadata.

package main

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"runtime/pprof"
	"strconv"
)

type node struct {
	next  *node
	value *[8]int
}

var (
	list *node
	held [][]byte
)

func main() {
	debug.SetGCPercent(-1)
	runtime.MemProfileRate = 1 << 30
	for _, procs := range []int{1, 2} {
		runtime.GOMAXPROCS(procs)
		for range 2 { // 4 MB in all
			for range 12_000 {
				list = &node{list, new([8]int)}
			}
			check("refs", procs, 2<<20)
		}
	}
	few := take("inuse")
	runtime.MemProfileRate = 1
	const samples = 200_000
	for range samples {
		held = append(held, make([]byte, 8))
	}
	runtime.MemProfileRate = 1 << 30
	// The recorder has a word of 4 bytes for each object in spans with
	// sampled objects. New spans may have more objects than are used.
	check("inuse", runtime.GOMAXPROCS(0), few+samples*(4+1)+512<<10)
	sameAfterwards()
}

// check takes a profile. most is the number of bytes that its recording may
// use.
func check(name string, procs, most int) {
	if memory := take(name); memory > most {
		fail("%s with %d Ps took %d bytes for a heap of %d, want at most %d", name, procs, memory, liveBytes(), most)
	}
}

// take takes a profile, which must have lost nothing. It returns the number of
// bytes that the recording used.
func take(name string) int {
	var b bytes.Buffer
	if err := pprof.Lookup(name).WriteTo(&b, 1); err != nil {
		fail("%s: %v", name, err)
	}
	if !bytes.Contains(b.Bytes(), []byte("want of memory: 0 bytes in 0 objects")) {
		fail("%s has lost objects:\n%.500s", name, &b)
	}
	m := regexp.MustCompile("memory used for recording: ([0-9]+) bytes").FindSubmatch(b.Bytes())
	if m == nil {
		fail("%s: no memory in\n%.500s", name, &b)
	}
	n, err := strconv.Atoi(string(m[1]))
	if err != nil {
		fail("%v", err)
	}
	return n
}

// sameAfterwards checks that profiles do not increase the memory that the
// runtime counts as metadata.
func sameAfterwards() {
	take("inuse")
	before := read("/memory/classes/metadata/other:bytes")
	for range 10 {
		take("inuse")
		take("refs")
	}
	if after := read("/memory/classes/metadata/other:bytes"); after > before+512<<10 {
		fail("%d bytes of metadata before and %d after profiles", before, after)
	}
}

func liveBytes() int { return read("/gc/heap/live:bytes") }

func read(name string) int {
	s := []metrics.Sample{{Name: name}}
	metrics.Read(s)
	return int(s[0].Value.Uint64())
}

func fail(format string, args ...any) {
	fmt.Printf(format+"\n", args...)
	os.Exit(1)
}
