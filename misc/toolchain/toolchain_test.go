// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package toolchain

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

var goCommand = filepath.Join("..", "..", "goroot", "bin", "go")

// run runs the toolchain's go command in dir, with env and the user's
// environment, but without the user's Go settings that matter here.
func run(t *testing.T, dir string, env []string, args ...string) (string, error) {
	t.Helper()
	path, err := filepath.Abs(goCommand)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOROOT=", "GOFLAGS=", "GOWORK=off", "GOENV=off", "GOTOOLCHAIN=")
	cmd.Env = append(cmd.Env, env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func mustRun(t *testing.T, dir string, env []string, args ...string) string {
	t.Helper()
	out, err := run(t, dir, env, args...)
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// writeModule writes a module with the given go.mod lines and main.go, and returns its folder.
func writeModule(t *testing.T, lines, main string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":       "module example\n" + lines,
		"main.go":      main,
		"main_test.go": "package main\nimport \"testing\"\nfunc TestMain1(t *testing.T) { main() }\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const hello = "package main\nimport \"runtime\"\nfunc main() { println(runtime.Version()) }\n"

const cgo = "package main\n/*\nint twice(int i) { return 2*i; }\n*/\nimport \"C\"\n" +
	"func main() { if C.twice(21) != 42 { panic(\"cgo\") }; println(\"cgo works\") }\n"

const race = "package main\nfunc main() { x := 0; c := make(chan int); go func() { x++; c <- 1 }(); x++; <-c; println(x) }\n"

func TestVersion(t *testing.T) {
	file, err := os.ReadFile("../../VERSION")
	if err != nil {
		t.Fatal(err)
	}
	base := strings.TrimSpace(string(file))
	version := builtVersion(t)
	if !regexp.MustCompile("^" + regexp.QuoteMeta(base) + `-[0-9a-f]{8}$`).MatchString(version) {
		t.Errorf("the version is %s, want %s and a hash", version, base)
	}
	if got := strings.TrimSpace(mustRun(t, ".", nil, "env", "GOTOOLCHAIN")); got != "local" {
		t.Errorf("GOTOOLCHAIN is %q, want local", got)
	}
	dir := writeModule(t, "go 1.27\n", hello)
	if got := strings.TrimSpace(mustRun(t, dir, nil, "run", ".")); got != version {
		t.Errorf("runtime.Version is %s, want %s", got, version)
	}
	if got := mustRun(t, ".", nil, "tool", "compile", "-V=full"); !strings.Contains(got, version) {
		t.Errorf("the compiler's ID is %q, want %s in it", got, version)
	}
}

func TestBuilds(t *testing.T) {
	needsC := func(t *testing.T) {
		if strings.TrimSpace(mustRun(t, ".", nil, "env", "CGO_ENABLED")) != "1" {
			t.Skip("no C compiler")
		}
	}
	for _, test := range []struct {
		name, lines, main string
		env, args         []string
		needs             func(*testing.T)
	}{
		{name: "go line of this release", lines: "go 1.27\n", main: hello, args: []string{"build"}},
		{name: "go line with patch", lines: "go 1.27.4\n", main: hello, args: []string{"build"}},
		{name: "toolchain line", lines: "go 1.24\ntoolchain go1.27.4\n", main: hello, args: []string{"build"}},
		{name: "test", lines: "go 1.27\n", main: hello, args: []string{"test", "."}},
		{name: "vet", lines: "go 1.27\n", main: hello, args: []string{"vet", "."}},
		{name: "trimpath", lines: "go 1.27\n", main: hello, args: []string{"build", "-trimpath"}},
		{name: "stripped", lines: "go 1.27\n", main: hello, args: []string{"build", "-ldflags=-s -w"}},
		{name: "mod=mod", lines: "go 1.27\n", main: hello, env: []string{"GOFLAGS=-mod=mod"}, args: []string{"build"}},
		{name: "pie", lines: "go 1.27\n", main: hello, args: []string{"build", "-buildmode=pie"}},
		{name: "cgo", lines: "go 1.27\n", main: cgo, args: []string{"run", "."}, needs: needsC},
		{name: "race, clean", lines: "go 1.27\n", main: hello, args: []string{"run", "-race", "."}, needs: needsC},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.needs != nil {
				test.needs(t)
			}
			dir := writeModule(t, test.lines, test.main)
			mustRun(t, dir, test.env, test.args...)
			if test.args[0] == "build" {
				out, err := exec.Command(filepath.Join(dir, "example"+exe())).CombinedOutput()
				if err != nil {
					t.Errorf("the program: %v\n%s", err, out)
				}
			}
		})
	}
}

func exe() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}

func TestRaceIsFound(t *testing.T) {
	if strings.TrimSpace(mustRun(t, ".", nil, "env", "CGO_ENABLED")) != "1" {
		t.Skip("no C compiler")
	}
	out, err := run(t, writeModule(t, "go 1.27\n", race), nil, "run", "-race", ".")
	if err == nil || !strings.Contains(out, "WARNING: DATA RACE") {
		t.Errorf("a race is not found: %v\n%s", err, out)
	}
}

// TestNewerGo checks that a module that needs a later Go causes an error, and
// no switch to another toolchain.
func TestNewerGo(t *testing.T) {
	out, err := run(t, writeModule(t, "go 1.99\n", hello), nil, "build")
	if err == nil || !strings.Contains(out, "go.mod requires go >= 1.99") {
		t.Errorf("a module for go 1.99: %v\n%s", err, out)
	}
}
