// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// These benchmarks measure the cost of the refs profile with many stacks,
// frames, variables, closures and defers.

package pprof

import (
	"bytes"
	"fmt"
	"internal/testenv"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkRefsLoad takes profiles of the loads of testdata/refsload, in one
// process for each load. x-of-GC is the time of WriteTo divided by the time of
// runtime.GC on the same heap. recording-x-of-GC is the same ratio for the
// recording alone. stop-x-of-GC is the same ratio for the longest time that it
// takes to stop the world during the profile, and allocate-x-of-GC for the
// longest time that 100 small allocations take.
//
// Each load is a program that runs once and reports the median, whatever b.N
// is.
func BenchmarkRefsLoad(b *testing.B) {
	program := buildRefsLoad(b)
	for _, load := range []struct {
		name    string
		n, size int
	}{
		{"locals", 5000, 200},
		{"locals", 1000, 1000},
		{"locals", 100, 5000},
		{"shared", 5000, 200},
		{"shared", 1000, 1000},
		{"places", 5000, 200},
		{"generic", 100000, 0},
		{"inlined", 100000, 0},
		{"objects", 50000, 0},
		{"closures", 2000000, 0},
		{"captured", 10000, 200},
		{"captured", 1000, 2000},
		{"functions", 1000, 1000},
		{"defers", 1000000, 0},
		{"deep", 100000, 0},
		{"random", 100000, 0},
		{"deep", 1000000, 0},
		{"random", 1000000, 0},
		{"untyped", 20_000_000, 0},
		{"cleared", 10_000_000, 0},
		{"finalizers", 2_000_000, 0},
		{"cleanups", 2_000_000, 0},
	} {
		b.Run(fmt.Sprintf("%s=%d/size=%d", load.name, load.n, load.size), func(b *testing.B) {
			var cost, recording, stop, allocate float64
			cmd := testenv.Command(b, program, load.name, fmt.Sprint(load.n), fmt.Sprint(load.size), "5")
			cmd.Stderr = os.Stderr
			out, err := cmd.Output()
			if err != nil {
				b.Fatalf("%v\n%s", err, out)
			}
			if _, err := fmt.Sscan(string(out), &cost, &recording, &stop, &allocate); err != nil {
				b.Fatalf("%v\n%s", err, out)
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(cost, "x-of-GC")
			b.ReportMetric(recording, "recording-x-of-GC")
			b.ReportMetric(stop, "stop-x-of-GC")
			b.ReportMetric(allocate, "allocate-x-of-GC")
		})
	}
}

// buildRefsLoad builds testdata/refsload with functions of many variables.
func buildRefsLoad(b *testing.B) string {
	testenv.MustHaveGoBuild(b)
	dir := b.TempDir()
	main, err := os.ReadFile("testdata/refsload/main.go")
	if err != nil {
		b.Fatal(err)
	}
	for name, text := range map[string][]byte{
		"go.mod":       []byte("module refsload\ngo 1.26\n"),
		"main.go":      main,
		"generated.go": refsLoadFunctions(),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			b.Fatal(err)
		}
	}
	cmd := testenv.Command(b, testenv.GoToolPath(b), "build", "-o", "refsload.exe")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	return filepath.Join(dir, "refsload.exe")
}

// refsLoadFunctions returns a file of functions with many variables. It has one
// function for each kind and size.
func refsLoadFunctions() []byte {
	var file bytes.Buffer
	file.WriteString("package main\n")
	for _, kind := range []struct {
		name, parameters string
		body             func(w *bytes.Buffer, n int)
		sizes            []int
	}{
		{"locals", "", refsLoadLocals, []int{200, 1000, 5000}},
		{"shared", "", refsLoadShared, []int{200, 1000}},
		{"places", "i int", refsLoadPlaces, []int{200}},
		{"captured", "", refsLoadCaptured, []int{200, 2000}},
		{"functions", "", refsLoadClosures, []int{1000}},
	} {
		fmt.Fprintf(&file, "var %s = map[int]func(%s){\n", kind.name, kind.parameters)
		for _, n := range kind.sizes {
			fmt.Fprintf(&file, "%d: func(%s) {\n", n, kind.parameters)
			kind.body(&file, n)
			file.WriteString("},\n")
		}
		file.WriteString("}\n")
	}
	return file.Bytes()
}

func refsLoadVariables(w *bytes.Buffer, n int) {
	for i := range n {
		fmt.Fprintf(w, "v%d := &item{n: %[1]d}\n", i)
	}
}

func refsLoadUses(w *bytes.Buffer, n int) {
	w.WriteString("use(")
	for i := range n {
		fmt.Fprintf(w, "v%d, ", i)
	}
	w.WriteString(")\n")
}

// refsLoadLocals writes n variables that are all in use at the same time.
func refsLoadLocals(w *bytes.Buffer, n int) {
	refsLoadVariables(w, n)
	w.WriteString("wait()\n")
	refsLoadUses(w, n)
}

// refsLoadShared writes n+1 pairs of variables, which share a few slots.
func refsLoadShared(w *bytes.Buffer, n int) {
	one := "{ v := new(item); o := object{heap: v}; fill(&o); use(v); use(o.heap) }\n"
	w.WriteString(strings.Repeat(one, n/2))
	w.WriteString("{ v := new(item); o := object{heap: v}; fill(&o); wait(); use(v); use(o.heap) }\n")
	w.WriteString(strings.Repeat(one, n/2))
}

// refsLoadPlaces writes n variables that are in use at each of 200 calls.
func refsLoadPlaces(w *bytes.Buffer, n int) {
	refsLoadVariables(w, n)
	w.WriteString("switch i {\n")
	for i := range 200 {
		fmt.Fprintf(w, "case %d: wait()\n", i)
	}
	w.WriteString("}\n")
	refsLoadUses(w, n)
}

// refsLoadCaptured writes a closure that captures n variables.
func refsLoadCaptured(w *bytes.Buffer, n int) {
	refsLoadVariables(w, n)
	w.WriteString("made = append(made, func() {\n")
	refsLoadUses(w, n)
	w.WriteString("})\n")
}

// refsLoadClosures writes n closures.
func refsLoadClosures(w *bytes.Buffer, n int) {
	for i := range n {
		fmt.Fprintf(w, "{ v, w := &item{n: %d}, new(item); made = append(made, func() { use(v); use(w) }) }\n", i)
	}
}
