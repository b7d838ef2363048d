// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// These tests build upstream's package runtime/pprof, unchanged, with the
// fork's runtime. The package reads what the runtime passes. So do modules that
// have copies of the package. The fork's heap and allocs profiles must equal
// those that upstream's package writes.

package toolchain

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// overlayPprof returns the flag with which builds have upstream's runtime/pprof.
func overlayPprof(t *testing.T) string {
	t.Helper()
	upstreamSrc, err := filepath.Abs(filepath.Join(upstreamTree(t), "src"))
	if err != nil {
		t.Fatal(err)
	}
	forkSrc, err := filepath.Abs(filepath.Join(goroot, "src"))
	if err != nil {
		t.Fatal(err)
	}
	upstream, fork := filepath.Join(upstreamSrc, "runtime", "pprof"), filepath.Join(forkSrc, "runtime", "pprof")
	// The fork's package testdeps uses what only the fork's runtime/pprof exports.
	const deps = "testing/internal/testdeps/deps.go"
	replace := map[string]string{filepath.Join(forkSrc, deps): filepath.Join(upstreamSrc, deps)}
	for dir, with := range map[string]bool{fork: false, upstream: true} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no files in %s: %v", dir, err)
		}
		for _, file := range files {
			name := filepath.Join(fork, filepath.Base(file))
			if with {
				replace[name] = file
			} else if replace[name] == "" {
				replace[name] = "" // upstream has no such file
			}
		}
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(file, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return "-overlay=" + file
}

// TestUpstreamPprof runs upstream's tests of its package that read what the runtime passes.
func TestUpstreamPprof(t *testing.T) {
	out := mustRun(t, goroot+"/src", nil, "test", "-short", "-count=1", "-v", overlayPprof(t),
		"-run", "^(TestMemoryProfiler|TestConvertMemProfile|TestBlockProfile|TestMutexProfile|TestGoroutineCounts|TestGoroutineProfileConcurrency|TestProfilerStackDepth|TestLabelRace|TestEmptyStack)", "runtime/pprof")
	for _, name := range []string{"TestMemoryProfiler", "TestConvertMemProfile", "TestBlockProfile", "TestMutexProfile", "TestGoroutineCounts", "TestProfilerStackDepth"} {
		if !strings.Contains(out, "--- PASS: "+name+" ") {
			t.Errorf("%s has not passed:\n%s", name, out)
		}
	}
}

const heapProgram = `package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
)

func init() { runtime.MemProfileRate = 1 }

var kept [][]byte

//go:noinline
func keep(n, size int) {
	for range n {
		kept = append(kept, make([]byte, size))
	}
}

//go:noinline
func drop(n, size int) {
	for range n {
		sink = make([]byte, size)
	}
}

var sink []byte

func main() {
	debug.SetGCPercent(-1)
	kept = make([][]byte, 0, 1000)
	keep(100, 1000)
	keep(7, 100000)
	drop(50, 3000)
	sink = nil
	runtime.GC()
	runtime.GC()
	for _, name := range []string{"heap", "allocs"} {
		f, err := os.Create(os.Args[1] + name)
		if err != nil {
			panic(err)
		}
		if err := pprof.Lookup(name).WriteTo(f, 0); err != nil {
			panic(err)
		}
		if err := f.Close(); err != nil {
			panic(err)
		}
	}
}
`

// TestHeapAsUpstream compares heap and allocs profiles of one program, by the fork's package
// and by upstream's: their headers, and the samples of the program's functions.
func TestHeapAsUpstream(t *testing.T) {
	dir := writeModule(t, "go 1.27\n", heapProgram)
	written := make(map[string]map[string]string)
	for name, flags := range map[string][]string{"fork": nil, "upstream": {overlayPprof(t)}} {
		program := filepath.Join(dir, name+exe())
		mustRun(t, dir, nil, append(append([]string{"build", "-o", program}, flags...), ".")...)
		if out, err := exec.Command(program, filepath.Join(dir, name+".")).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		written[name] = make(map[string]string)
		for _, profile := range []string{"heap", "allocs"} {
			file := filepath.Join(dir, name+"."+profile)
			raw := mustRun(t, dir, nil, "tool", "pprof", "-raw", file)
			header := regexp.MustCompile(`(?s)^.*PeriodType: .*?Samples:\n[^\n]*\n`).FindString(raw)
			written[name][profile+", header"] = regexp.MustCompile(`(?m)^(Time|Duration): .*\n`).ReplaceAllString(header, "")
			for _, index := range []string{"alloc_objects", "alloc_space", "inuse_objects", "inuse_space"} {
				traces := mustRun(t, dir, nil, "tool", "pprof", "-traces", "-focus=^main\\.(keep|drop)$", "-sample_index="+index, file)
				_, traces, _ = strings.Cut(traces, "-----------+-") // what is above has names and times
				written[name][profile+", "+index] = traces
			}
		}
	}
	for what, want := range written["upstream"] {
		if got := written["fork"][what]; got != want || want == "" {
			t.Errorf("%s: %s\nwant\n%s", what, got, want)
		}
	}
	if heap := written["fork"]["heap, inuse_objects"]; !strings.Contains(heap, "main.keep") {
		t.Errorf("nothing of main.keep: %s", heap)
	}
}
