// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Tests of the table of globals for each way to link. The programs in
// testdata/refsglobals look for their own variables in the table.
// TestRefsGlobalsCover in package runtime tests that the table covers all
// roots.

package main

import (
	"bytes"
	"cmd/internal/objfile"
	"internal/platform"
	"internal/testenv"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// A refsLink is a way to link.
type refsLink struct {
	name    string
	cgo     bool   // needs a C compiler
	ldflags string // in addition to the flags of all ways
	flags   []string
	env     []string
}

func TestRefsGlobals(t *testing.T) {
	testenv.MustHaveGoBuild(t)
	goos, goarch := runtime.GOOS, runtime.GOARCH
	links := []refsLink{
		{name: "default"},
		{name: "stripped", ldflags: "-s -w"},
		{name: "external", cgo: true, ldflags: "-linkmode=external"},
		{name: "external stripped", cgo: true, ldflags: "-linkmode=external -s -w"},
	}
	if platform.InternalLinkPIESupported(goos, goarch) {
		links = append(links, refsLink{name: "PIE", ldflags: "-linkmode=internal", flags: []string{"-buildmode=pie"}})
	}
	if platform.BuildModeSupported("gc", "pie", goos, goarch) {
		links = append(links, refsLink{name: "external PIE", cgo: true, ldflags: "-linkmode=external", flags: []string{"-buildmode=pie"}})
	}
	if platform.RaceDetectorSupported(goos, goarch) {
		links = append(links, refsLink{name: "race", cgo: true, flags: []string{"-race"}})
	}
	if goos == "linux" && goarch == "amd64" && !testing.Short() {
		links = append(links, refsLink{name: "386", env: []string{"GOARCH=386", "CGO_ENABLED=0"}})
	}
	for _, l := range links {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			if l.cgo {
				testenv.MustHaveCGO(t)
			}
			refsRun(t, refsBuild(t, "exe", l))
		})
	}
}

func TestRefsGlobalsLibrary(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the command for the C compiler is that of Linux")
	}
	for _, mode := range []string{"c-archive", "c-shared"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			testenv.MustHaveCGO(t)
			testenv.MustHaveBuildMode(t, mode)
			lib := refsBuild(t, "lib", refsLink{flags: []string{"-buildmode=" + mode}})
			exe := filepath.Join(t.TempDir(), "main")
			cc := strings.Fields(refsRun(t, testenv.GoToolPath(t), "env", "CC"))
			refsRun(t, cc[0], append(cc[1:], "-o", exe, "testdata/refsglobals/c/main.c", lib, "-lpthread")...)
			refsRun(t, exe)
		})
	}
}

func TestRefsGlobalsPlugin(t *testing.T) {
	testenv.MustHaveCGO(t)
	testenv.MustHaveBuildMode(t, "plugin")
	t.Parallel()
	host := refsBuild(t, "host", refsLink{})
	plug := refsBuild(t, "plug", refsLink{flags: []string{"-buildmode=plugin"}})
	refsRun(t, host, plug)
	for file, want := range map[string]bool{host: true, plug: false} {
		if refsHasTable(t, file) != want {
			t.Errorf("%s has a table = %v", filepath.Base(file), !want)
		}
	}
}

// TestRefsGlobalsCross checks that programs for other systems link, and have a
// table.
func TestRefsGlobalsCross(t *testing.T) {
	testenv.MustHaveGoBuild(t)
	if testing.Short() {
		t.Skip("compiles the standard library for each system")
	}
	for _, system := range []string{"linux/arm64", "linux/386", "linux/s390x", "darwin/arm64", "windows/amd64"} {
		t.Run(system, func(t *testing.T) {
			goos, goarch, _ := strings.Cut(system, "/")
			env := []string{"GOOS=" + goos, "GOARCH=" + goarch, "CGO_ENABLED=0"}
			if !refsHasTable(t, refsBuild(t, "exe", refsLink{env: env})) {
				t.Error("no table")
			}
		})
	}
}

// TestRefsGlobalsReproducible checks that two links of a program are equal.
func TestRefsGlobalsReproducible(t *testing.T) {
	testenv.MustHaveGoBuild(t)
	t.Parallel()
	var files [2][]byte
	for i, procs := range []string{"GOMAXPROCS=1", "GOMAXPROCS=4"} {
		data, err := os.ReadFile(refsBuild(t, "exe", refsLink{env: []string{procs}}))
		if err != nil {
			t.Fatal(err)
		}
		files[i] = data
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("two links of one program differ")
	}
}

// refsBuild builds a package of testdata/refsglobals and returns the file.
func refsBuild(t *testing.T, pkg string, l refsLink) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), pkg+".exe")
	// The programs use functions that the runtime does not export.
	cmd := goCmd(t, "build", "-o", out, "-ldflags=-checklinkname=0 "+l.ldflags)
	cmd.Args = append(append(cmd.Args, l.flags...), "./"+pkg)
	cmd.Dir = filepath.Join("testdata", "refsglobals")
	cmd.Env = append(cmd.Env, l.env...)
	refsOutput(t, cmd)
	return out
}

// refsRun runs a program and returns its output.
func refsRun(t *testing.T, exe string, args ...string) string {
	t.Helper()
	return refsOutput(t, testenv.Command(t, exe, args...))
}

// refsOutput runs a command and returns its output.
func refsOutput(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	return string(out)
}

// refsHasTable reports whether a program has a table of globals.
func refsHasTable(t *testing.T, file string) bool {
	_, ok := refsSymbols(t, file)["runtime.refsglobaltab"]
	return ok
}

// refsSymbols returns the names of the symbols in a file.
func refsSymbols(t *testing.T, file string) map[string]bool {
	t.Helper()
	names := make(map[string]bool)
	f, err := objfile.Open(file)
	if err == nil {
		defer f.Close()
		var syms []objfile.Sym
		syms, err = f.Symbols()
		for _, s := range syms {
			names[s.Name] = true
		}
	}
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return names
}
