// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Refs takes refs profiles of a heap of known shape, or other profiles that
// record references, in turns with plain garbage collections of the same heap,
//
//	refs SHAPE OBJECTS CALLS [PROFILE]
//
// and prints the medians of the costs of a call: its time, the CPU time that
// the process used during the call, the time for which the world was stopped,
// and the same of runtime.GC(), with units that begin with gc-. It also prints:
//
//	time/GC            time of WriteTo from the call to the last byte; runtime.GC() is 1
//	cpu/GC             processor time of the recording cycle; a plain cycle is 1
//	added-stw-sec/op   time that recording added to the stops, as the profile says
//	record-bytes       memory used for recording, as the profile says
//	record-bytes/obj   the same for each object with pointers
//	kept-bytes         memory left behind
//	profile-bytes      length of the compressed profile
//	heap-objects       objects that are live before the first call
//	heap-bytes         bytes of these objects
//
// With a toolchain that does not have the profile, it prints only the values of
// the collection and of the heap.
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"strconv"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "refs:", err)
		os.Exit(2)
	}
}

func run(args []string) error {
	if len(args) == 3 {
		args = append(args, "refs")
	}
	if len(args) != 4 {
		return fmt.Errorf("want SHAPE, OBJECTS, CALLS and perhaps PROFILE, have %q", args)
	}
	shape, ok := shapes[args[0]]
	if !ok {
		return fmt.Errorf("unknown shape %q", args[0])
	}
	objects, err := strconv.Atoi(args[1])
	if err != nil || objects < 1 {
		return fmt.Errorf("bad number of objects %q", args[1])
	}
	calls, err := strconv.Atoi(args[2])
	if err != nil || calls < 1 {
		return fmt.Errorf("bad number of calls %q", args[2])
	}
	return measure(calls, shape(objects), pprof.Lookup(args[3]))
}

// measure makes the calls and prints the values. A plain cycle, with its
// sweeping, is complete before each measured one begins. profile is nil if the
// toolchain does not have it.
func measure(calls, pointerful int, profile *pprof.Profile) error {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	fmt.Println(stats.HeapObjects, "heap-objects")
	fmt.Println(stats.HeapAlloc, "heap-bytes")

	var gc, refs costs
	r := newRecordings(pointerful)
	if profile != nil {
		if err := r.take(profile); err != nil { // warms up, and is not measured
			return err
		}
		r = newRecordings(pointerful)
	}
	runtime.GC()
	for range calls {
		m := newMeter()
		runtime.GC()
		gc = append(gc, m.read())
		if profile == nil {
			continue
		}
		runtime.GC()
		before := memory()
		if err := r.take(profile); err != nil {
			return err
		}
		refs = append(refs, r.cost)
		runtime.GC()
		runtime.GC() // the second collection empties pools
		r.kept = append(r.kept, memory()-before)
	}
	gc.print("gc-")
	if profile != nil {
		refs.print("")
		fmt.Println(median(refs.over(gc, func(c cost) float64 { return c.seconds })), "time/GC")
		fmt.Println(median(refs.over(gc, func(c cost) float64 { return c.marking })), "cpu/GC")
		r.print()
	}
	return nil
}
