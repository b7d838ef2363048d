// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Datadog profiles itself with dd-trace-go's profiler, which sends the
// differences between heap profiles. The program compares the sum of the
// differences with the objects that it has allocated.
package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/DataDog/dd-trace-go/v2/profiler"
	"github.com/google/pprof/profile"
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

// collect makes the next profile count all objects allocated so far. A profile
// describes the heap at the last completed cycle.
func collect() {
	runtime.GC()
	runtime.GC()
}

// An upload is the number of objects that keep has allocated, according to one
// difference between heap profiles.
type upload struct {
	allocated int64
	err       error
}

func main() {
	runtime.MemProfileRate = 1
	kept = make([]*object, 0, 4*objects)
	os.Setenv("DD_PROFILING_DEBUG_COMPRESSION_SETTINGS", "legacy") // gzip, which pprof reads
	os.Setenv("DD_INSTRUMENTATION_TELEMETRY_ENABLED", "false")
	if err := run(); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("ok")
}

func run() error {
	uploads := make(chan upload, 100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "profiling") {
			n, err := readUpload(r)
			uploads <- upload{n, err}
		}
	}))
	defer server.Close()
	keep()
	collect()
	err := profiler.Start(
		profiler.WithAgentAddr(strings.TrimPrefix(server.URL, "http://")),
		profiler.WithPeriod(time.Second),
		profiler.WithProfileTypes(profiler.HeapProfile, profiler.GoroutineProfile, profiler.MutexProfile, profiler.BlockProfile),
	)
	if err != nil {
		return err
	}
	defer profiler.Stop()
	// Each round's objects must be in exactly one upload.
	limit := time.After(90 * time.Second)
	want, have := int64(objects), int64(0)
	for n := 0; n < 5; n++ {
		select {
		case u := <-uploads:
			if u.err != nil {
				return fmt.Errorf("upload %d: %w", n, u.err)
			}
			have += u.allocated
		case <-limit:
			return fmt.Errorf("%d uploads within 90 seconds, want 5", n)
		}
		if n < 2 {
			keep()
			collect()
			want += objects
		}
	}
	if have != want {
		return fmt.Errorf("the uploads have %d objects of keep, want %d", have, want)
	}
	return nil
}

func readUpload(r *http.Request) (int64, error) {
	f, _, err := r.FormFile("delta-heap.pprof")
	if err != nil {
		return 0, err
	}
	defer f.Close()
	p, err := profile.Parse(f)
	if err != nil {
		return 0, err
	}
	index, err := p.SampleIndexByName("alloc_objects")
	if err != nil {
		return 0, err
	}
	sum := int64(0)
	for _, s := range p.Sample {
		if !slices.Equal(s.NumLabel["bytes"], []int64{objectSize}) {
			continue // not keep's objects: the runtime allocates when keep waits
		}
		if len(s.Location) > 0 && len(s.Location[0].Line) > 0 && s.Location[0].Line[0].Function.Name == "main.keep" {
			sum += s.Value[index]
		}
	}
	return sum, p.CheckValid()
}
