// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build linux && cgo

package runtime_test

import (
	"internal/profile"
	"internal/testenv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestCgoPageFaults checks the faults on threads that C has made. If C calls Go
// code there, faults in this Go code, and in C code that it calls, count for
// the Go code. Faults in other C code, and on threads that never call Go, count
// for _UnsampledPageFaults. The sum is the number that getrusage counts.
func TestCgoPageFaults(t *testing.T) {
	got := strings.TrimSpace(runTestProg(t, "testprogcgo", "PageFaults"))
	if strings.HasPrefix(got, "refused: ") {
		t.Skip(got)
	}
	name, counted, _ := strings.Cut(got, " ")
	f, err := os.Open(name)
	if err != nil {
		t.Fatalf("%v; output of the program: %s", err, got)
	}
	defer os.Remove(name)
	defer f.Close()
	p, err := profile.Parse(f)
	if err != nil {
		t.Fatal(err)
	}
	in := func(fn string) (n int64) {
		for _, s := range p.Sample {
			if profileCalls(s, fn) {
				n += s.Value[0]
			}
		}
		return n
	}
	const n = 20000 // pages, as in testprogcgo
	for _, want := range []struct {
		fn    string
		pages int64
	}{
		{"main.pageFaultsTouch", 2 * n},
		{"main.pageFaultsCallC", n},
		{"runtime._UnsampledPageFaults", 2 * n},
	} {
		if got := in(want.fn); got < want.pages*7/10 || got > want.pages*13/10 {
			t.Errorf("%d faults in %s, want about %d", got, want.fn, want.pages)
		}
	}
	var sum int64
	for _, s := range p.Sample {
		sum += s.Value[0]
	}
	// The sum also has the faults of the profile's own start and end.
	want, err := strconv.ParseInt(counted, 10, 64)
	if err != nil || sum < want || sum > want+want/100 {
		t.Errorf("%d faults, want those of getrusage, %q, and at most 1%% more", sum, counted)
	}
	if t.Failed() {
		t.Log(p)
	}
}

// TestCgoPageFaultsLibrary checks that a library in a C program cannot start
// the profile, because SIGPROF belongs to the C program.
func TestCgoPageFaultsLibrary(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the standard library for it")
	}
	testenv.MustHaveCGO(t)
	testenv.MustHaveBuildMode(t, "c-shared")
	dir := t.TempDir()
	run := func(name string, args ...string) string {
		t.Helper()
		cmd := testenv.Command(t, name, args...)
		cmd.Dir = dir
		out, err := testenv.CleanCmdEnv(cmd).CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	for name, text := range map[string]string{
		"go.mod": "module library\n",
		"library.go": `package main

import "C"

import (
	"fmt"
	"io"
	"os"
	"runtime/pprof"
)

func init() {
	fmt.Println(pprof.StartPageFaultProfile(io.Discard))
	os.Exit(0)
}

func main() {}
`,
		"program.c": `#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
	if (dlopen("./library.so", RTLD_NOW) == NULL) {
		puts(dlerror());
		return 1;
	}
	for (;;) {
		pause();
	}
}
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	run(testenv.GoToolPath(t), "build", "-buildmode=c-shared", "-o", "library.so", "library.go")
	compiler := strings.Fields(run(testenv.GoToolPath(t), "env", "CC", "GOGCCFLAGS"))
	args := []string{"-o", "program", "program.c", "-ldl"}
	for _, flag := range compiler[1:] {
		if flag == "-m32" || flag == "-m64" {
			args = append(args, flag)
		}
	}
	run(compiler[0], args...)
	if got, want := run("./program"), "not supported with -buildmode=c-archive or c-shared"; !strings.Contains(got, want) {
		t.Errorf("%q, want an error with %q", got, want)
	}
}

// profileCalls reports whether function fn is on the stack of s.
func profileCalls(s *profile.Sample, fn string) bool {
	for _, l := range s.Location {
		for _, line := range l.Line {
			if line.Function.Name == fn {
				return true
			}
		}
	}
	return false
}
