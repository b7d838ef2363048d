// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Deltas profiles itself with Pyroscope's agents: with godeltaprof alone, whose
// differences it compares with the objects that it has allocated, and with
// pyroscope-go, which sends profiles to a server in this program.
package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"slices"

	"github.com/google/pprof/profile"
	"github.com/grafana/pyroscope-go/godeltaprof"
)

const objects, objectSize = 1000, 512

type object [objectSize]byte

var kept []*object

//go:noinline
func keep() {
	for range objects {
		kept = append(kept, new(object))
	}
}

func main() {
	runtime.MemProfileRate = 1
	kept = make([]*object, 0, 4*objects)
	if err := deltas(); err != nil {
		fmt.Println("godeltaprof:", err)
		os.Exit(1)
	}
	if err := agent(); err != nil {
		fmt.Println("pyroscope-go:", err)
		os.Exit(1)
	}
	fmt.Println("ok")
}

// deltas takes profiles between rounds of keep.
func deltas() error {
	h := godeltaprof.NewHeapProfiler()
	for i, rounds := range []int{0, 1, 2, 0, 1} {
		for range rounds {
			keep()
		}
		runtime.GC()
		runtime.GC() // a profile describes the last completed cycle
		var b bytes.Buffer
		if err := h.Profile(&b); err != nil {
			return err
		}
		p, err := profile.Parse(&b)
		if err != nil {
			return err
		}
		want := int64(rounds * objects)
		if n := allocated(p, "alloc_objects"); n != want {
			return fmt.Errorf("profile %d: keep allocated %d objects, want %d", i, n, want)
		}
		if n := allocated(p, "alloc_space"); n != want*objectSize {
			return fmt.Errorf("profile %d: keep allocated %d bytes, want %d", i, n, want*objectSize)
		}
	}
	return nil
}

// allocated returns the value that the profile has for keep. It counts keep's
// own objects, and not those that the runtime allocates when keep waits.
func allocated(p *profile.Profile, sampleType string) int64 {
	index, err := p.SampleIndexByName(sampleType)
	if err != nil {
		return -1
	}
	sum := int64(0)
	for _, s := range p.Sample {
		if !slices.Equal(s.NumLabel["bytes"], []int64{objectSize}) {
			continue
		}
		if len(s.Location) > 0 && len(s.Location[0].Line) > 0 && s.Location[0].Line[0].Function.Name == "main.keep" {
			sum += s.Value[index]
		}
	}
	return sum
}
