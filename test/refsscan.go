// run

//go:build !js && !plan9 && !wasip1 && !windows

// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Checks that the collection of a refs profile counts the bytes that it scans
// as other collections do. It scans the stack of the main goroutine twice, and
// must count it once.

package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/metrics"
	"runtime/pprof"
)

// scanned returns how many bytes of stacks and of global variables the last
// collection scanned.
func scanned() (stack, globals uint64) {
	s := []metrics.Sample{{Name: "/gc/scan/stack:bytes"}, {Name: "/gc/scan/globals:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64(), s[1].Value.Uint64()
}

func deep(n int) int {
	var space [64]int
	if n > 0 {
		space[n%64] = deep(n - 1)
	} else {
		compare()
	}
	return space[n%64] + 1
}

func compare() {
	for range 3 {
		runtime.GC()
		stack, globals := scanned()
		if err := pprof.Lookup("refs").WriteTo(io.Discard, 0); err != nil {
			panic(err)
		}
		recordedStack, recordedGlobals := scanned()
		if stack < 10<<20 || recordedStack > stack+stack/100 || recordedStack < stack-stack/100 || recordedGlobals != globals {
			panic(fmt.Sprintf("a recording has scanned %d bytes of stacks and %d of globals, other collections %d and %d",
				recordedStack, recordedGlobals, stack, globals))
		}
	}
}

func main() {
	deep(20000)
}
