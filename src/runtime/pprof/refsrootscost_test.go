// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// These benchmarks measure the cost of the refs profile for programs that have
// very many roots or types of some kind. They report the time of WriteTo as a
// multiple of the time of a collection of the same heap.

package pprof

import (
	"errors"
	"fmt"
	"internal/testenv"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// benchmarkRefsCost takes refs profiles and collects garbage in turns, and
// reports the ratio of the medians of their times.
func benchmarkRefsCost(b *testing.B) {
	var profiles, collections []time.Duration
	runtime.GC()
	for range max(b.N, 5) {
		start := time.Now()
		runtime.GC()
		collections = append(collections, time.Since(start))
		start = time.Now()
		if err := Lookup("refs").WriteTo(io.Discard, 0); err != nil {
			b.Fatal(err)
		}
		profiles = append(profiles, time.Since(start))
	}
	slices.Sort(profiles)
	slices.Sort(collections)
	reportRefsCost(b, profiles[len(profiles)/2], collections[len(collections)/2])
}

func reportRefsCost(b *testing.B, profile, collection time.Duration) {
	b.ReportMetric(float64(profile)/float64(collection), "x-of-GC")
	b.ReportMetric(float64(collection)/1e6, "ms/GC")
	b.ReportMetric(float64(profile)/1e6, "ms/profile")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkRefsReflectTypes has values of 20,000 types that package reflect
// made.
func BenchmarkRefsReflectTypes(b *testing.B) {
	values := make([]any, 20_000)
	for i := range values {
		values[i] = reflect.New(reflectedType(i)).Interface()
	}
	benchmarkRefsCost(b)
	runtime.KeepAlive(values)
}

// reflectedType returns the type with number i in a series of types that are
// not in the program.
func reflectedType(i int) reflect.Type {
	return reflect.StructOf([]reflect.StructField{
		{Name: fmt.Sprintf("Field%d", i), Type: reflect.TypeFor[*int]()},
		{Name: "Next", Type: reflect.TypeFor[*string]()},
	})
}

// BenchmarkRefsCleanupQueue has 1 million queued cleanups. They stay queued
// because the running cleanups do not return.
func BenchmarkRefsCleanupQueue(b *testing.B) {
	type argument struct{ value *int }
	release := make(chan struct{})
	defer close(release)
	for range 1_000_000 {
		runtime.AddCleanup(new([2]*int), func(*argument) { <-release }, &argument{new(int)})
	}
	runtime.GC() // queues the cleanups
	benchmarkRefsCost(b)
}

// BenchmarkRefsGlobals has a program with 100,000 variables that refer to one
// object each.
func BenchmarkRefsGlobals(b *testing.B) {
	var vars strings.Builder
	vars.WriteString("package main\n")
	for i := range 100_000 {
		fmt.Fprintf(&vars, "var v%d = new(int)\n", i)
	}
	benchmarkRefsProgram(b, "", map[string]string{"vars.go": vars.String()})
}

// BenchmarkRefsPlugin has a plugin with an array of 200,000 pointers.
func BenchmarkRefsPlugin(b *testing.B) {
	benchmarkRefsProgram(b, "plugin", map[string]string{"plug/plug.go": `package main

var Array [200_000]*[4]int

func init() {
	for i := range Array {
		Array[i] = new([4]int)
	}
}

func main() {}
`})
}

// benchmarkRefsProgram is benchmarkRefsCost in a program of its own that
// consists of files. If buildmode is plugin, the program opens the plugin in
// the folder plug.
func benchmarkRefsProgram(b *testing.B, buildmode string, files map[string]string) {
	testenv.MustHaveGoBuild(b)
	dir := b.TempDir()
	files["go.mod"] = "module refscost\n\ngo 1.26\n"
	files["main.go"] = refsCostProgram
	if buildmode == "plugin" {
		testenv.MustHaveBuildMode(b, buildmode)
		testenv.MustHaveCGO(b)
		files["main.go"] = strings.Replace(refsCostProgram, "\"os\"", "\"os\"\n\t\"plugin\"", 1) + refsCostOpenPlugin
	}
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte(text), 0o666)); err != nil {
			b.Fatal(err)
		}
	}
	run := func(name string, args ...string) string {
		cmd := testenv.Command(b, name, args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			b.Fatalf("%v: %v\n%s", cmd, err, out)
		}
		return string(out)
	}
	if buildmode == "plugin" {
		run(testenv.GoToolPath(b), "build", "-buildmode=plugin", "-o", "plug.so", "./plug")
	}
	run(testenv.GoToolPath(b), "build", "-o", "main.exe", ".")
	var profile, collection float64
	if _, err := fmt.Sscan(run(filepath.Join(dir, "main.exe"), strconv.Itoa(max(b.N, 5))), &profile, &collection); err != nil {
		b.Fatal(err)
	}
	reportRefsCost(b, time.Duration(profile), time.Duration(collection))
}

const refsCostProgram = `package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/pprof"
	"slices"
	"strconv"
	"time"
)

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	var profiles, collections []time.Duration
	for range n {
		start := time.Now()
		runtime.GC()
		collections = append(collections, time.Since(start))
		start = time.Now()
		if err := pprof.Lookup("refs").WriteTo(io.Discard, 0); err != nil {
			panic(err)
		}
		profiles = append(profiles, time.Since(start))
	}
	slices.Sort(profiles)
	slices.Sort(collections)
	fmt.Println(int64(profiles[n/2]), int64(collections[n/2]))
}
`

const refsCostOpenPlugin = `
func init() {
	if _, err := plugin.Open("plug.so"); err != nil {
		panic(err)
	}
}
`
