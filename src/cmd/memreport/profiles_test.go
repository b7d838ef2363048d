// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file makes profiles, and takes of them.

package main

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"
)

// A row is a sample: values, and its frames, innermost first, in one string.
// A frame is a function, or function@file:line.
type row struct {
	values []int64
	stack  string
	labels string // key=value; key=number
}

// makeProfile returns a profile with sample types such as "a b".
func makeProfile(types string, comments []string, rows ...row) *profile.Profile {
	p := &profile.Profile{Comments: comments, Period: 512 << 10}
	for _, name := range strings.Fields(types) {
		p.SampleType = append(p.SampleType, &profile.ValueType{Type: name, Unit: "bytes"})
	}
	locations := make(map[string]*profile.Location)
	for _, r := range rows {
		s := &profile.Sample{Value: r.values, Label: make(map[string][]string)}
		for _, name := range strings.Split(r.stack, " < ") {
			l := locations[name]
			if l == nil {
				l = makeLocation(uint64(len(locations)+1), name)
				locations[name] = l
				p.Location = append(p.Location, l)
				p.Function = append(p.Function, l.Line[0].Function)
			}
			s.Location = append(s.Location, l)
		}
		for _, label := range strings.Split(r.labels, "; ") {
			key, value, ok := strings.Cut(label, "=")
			if age, err := strconv.ParseInt(value, 10, 64); err == nil {
				s.NumLabel = map[string][]int64{key: {age}}
			} else if ok {
				s.Label[key] = []string{value}
			}
		}
		p.Sample = append(p.Sample, s)
	}
	return p
}

func makeLocation(id uint64, text string) *profile.Location {
	name, file, ok := strings.Cut(text, "@")
	line := int64(0)
	if ok {
		line = 7
	}
	return &profile.Location{ID: id, Line: []profile.Line{{Function: &profile.Function{ID: id, Name: name, Filename: file}, Line: line}}}
}

// encode returns a profile as a file has it.
func encode(t *testing.T, p *profile.Profile) []byte {
	t.Helper()
	if err := p.CheckValid(); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// sizes are what a take is made of. Those with a step grow at each moment.
type sizes struct {
	leak      int64 // of the live heap, between the recordings
	mapStep   int64
	waitStep  int64
	goroutine int64
}

// makeTake returns a take of a program with an address space that begins with
// 10 MB, a live heap of 20 MB, and 100 goroutines.
func makeTake(t *testing.T, x sizes) *take {
	t.Helper()
	k := newTake()
	k.Time = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	k.Program, k.URL, k.Seconds = "/bin/server", "http://localhost:1/debug/pprof/", 30
	for i := range spaced + 2 {
		n := int64(i)
		k.Moments = append(k.Moments, float64(5*i))
		k.files[numbered("memory", i)] = encode(t, makeProfile("taken_space memory_space",
			[]string{"after GC cycle 4: 100 bytes resident"},
			row{[]int64{20*mb + n*x.leak/8, 20*mb + n*x.leak/8}, "main.keep@/m/a.go < Live heap at the last collection < Go memory", ""},
			row{[]int64{9 * mb, 8 * mb}, "bytes.growSlice@/go/b.go < main.read@/m/a.go < Allocated since the last collection < Go memory", ""},
			row{[]int64{3 * mb, 3 * mb}, "Free heap < Go memory", ""},
			row{[]int64{2 * mb, mb}, "other < Runtime structures < Go memory", ""},
			row{[]int64{4 * mb, 4 * mb}, "Goroutine stacks < Go memory", ""},
			row{[]int64{5 * mb, 5*mb + n*x.mapStep}, "/data/index < Mapped files < Not Go's memory", ""},
			row{[]int64{mb / 2, mb / 2}, "Mapped files < Not Go's memory", ""},
			row{[]int64{mb / 2, mb / 2}, "[heap] < C heap < Not Go's memory", ""}))
		k.files[numbered("growth", i)] = encode(t, makeProfile("growths unmapped_space stack_growth mapped_space", nil,
			row{[]int64{1, 0, 0, 10*mb + n*x.mapStep}, "syscall.Mmap@/go/s.go < main.load@/m/a.go < main.main@/m/a.go", "kind=mmap"},
			row{[]int64{1, 0, 0, 90 * mb}, "runtime.sysMap@/go/s.go < main.keep@/m/a.go", "kind=heap"},
			row{[]int64{1, 0, 3 * mb, 0}, "main.deep@/m/a.go < main.main@/m/a.go", "kind=stack"}))
		k.files[numbered("goroutine", i)] = encode(t, makeProfile("goroutine stack_space", nil,
			row{[]int64{100 + n*x.waitStep, 0}, "runtime.gopark@/go/p.go < runtime.chanrecv@/go/c.go < main.wait@/m/a.go < main.start@/m/a.go", ""},
			row{[]int64{0, mb}, "main.wait@/m/a.go < main.start@/m/a.go", ""},
			row{[]int64{0, 3 * mb}, "runtime._FreeStack < main.start@/m/a.go", "stack_size=2048"}))
	}
	for i, leak := range []int64{0, x.leak} {
		k.files[numbered("refs", i+1)] = encode(t, makeProfile("live_objects live_space", []string{fmt.Sprintf("GC cycle %d: 1 bytes live", 4+9*i)},
			row{[]int64{100 + leak/1000, 18*mb + leak}, "main.item.text []uint8 < map[int]*main.item[value] < main.items", "root=global"},
			row{[]int64{1, 2 * mb}, "(write barrier)", "root=barrier"}))
	}
	const path = "retained_by=main.items > map[int]*main.item[value] > main.item.text []uint8"
	k.files["inuse.2.pb.gz"] = encode(t, makeProfile("inuse_objects inuse_space", []string{"GC cycle 14: 1 bytes live"},
		row{[]int64{100, 18 * mb}, "bytes.Clone@/go/b.go < main.begin@/m/a.go", path + "; age=16"},
		row{[]int64{100, x.leak}, "bytes.Clone@/go/b.go < main.keep@/m/a.go", path + "; age=4"}))
	k.files["goroutineleak.pb.gz"] = encode(t, makeProfile("goroutineleak", nil,
		row{[]int64{x.goroutine}, "runtime.gopark@/go/p.go < main.forget@/m/a.go", ""}))
	k.files["peak.pb.gz"] = encode(t, makeProfile("peak_objects peak_space", []string{"peak: 30000000 bytes in use at 2026-11-01T11:00:00Z"},
		row{[]int64{0, 30 * mb}, "Goroutine stacks < Go memory", ""},
		row{[]int64{1, 20 * mb}, "main.report@/m/a.go < Heap objects < Go memory", ""}))
	k.files["heap.txt"] = []byte("heap profile: ...\n\n# runtime.MemStats\n# HeapInuse = 28000000\n# NextGC = 40000000\n")
	return k
}
