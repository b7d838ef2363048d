// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file runs memreport and servers as programs do.

package main

import (
	"errors"
	"internal/testenv"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestMain(m *testing.M) {
	if os.Getenv("MEMREPORT_TEST_MAIN") != "" {
		main()
	}
	dir, err := os.MkdirTemp("", "memreport")
	if err != nil {
		panic(err)
	}
	builtDir = dir
	status := m.Run()
	os.RemoveAll(dir)
	os.Exit(status)
}

// TestExit has the exit statuses of the command, and what it prints then.
func TestExit(t *testing.T) {
	testenv.MustHaveExec(t)
	dir := storeTake(t, makeTake(t, sizes{leak: 6 * mb, goroutine: 12}))
	for _, test := range []struct {
		condition string
		status    int
		report    bool
		stderr    string
	}{
		{"leaked>12,live>1GB", 0, true, ""},
		{"live>1GB,leaked>11", 1, true, "memreport: failed: leaked>11\n"},
		{"alive>1GB", 2, false, "memreport: -fail-if: no figure has the name \"alive\""},
	} {
		command := testenv.Command(t, testenv.Executable(t), "-json", "-fail-if="+test.condition, dir)
		command.Env = append(os.Environ(), "MEMREPORT_TEST_MAIN=1")
		var stderr strings.Builder
		command.Stderr = &stderr
		out, err := command.Output()
		status := 0
		if exit := new(exec.ExitError); errors.As(err, &exit) {
			status = exit.ExitCode()
		} else if err != nil {
			t.Fatal(err)
		}
		if status != test.status || (len(out) > 0) != test.report || !strings.HasPrefix(stderr.String(), test.stderr) || (stderr.Len() > 0) != (test.stderr != "") {
			t.Errorf("%s: status %d, %d bytes of a report, %q", test.condition, status, len(out), stderr.String())
		}
	}
}

// buildOther builds the program of testdata with other lines and more closures.
func buildOther(t *testing.T) string {
	t.Helper()
	testenv.MustHaveGoBuild(t)
	dir := t.TempDir()
	names, err := filepath.Glob(filepath.Join("testdata", "server", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		other := strings.Replace(string(text), "\tc := make(chan int)\n", "\tc := make(chan int)\n\tnothing := func() {}\n\tdefer func() { nothing() }()\n\n\n", 1)
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(name)), []byte(other), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module server\n\ngo 1.26\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	exe := filepath.Join(dir, "server.exe")
	build := testenv.Command(t, testenv.GoToolPath(t), "build", "-o", exe, ".")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return exe
}

// TestTwoBuilds compares signatures of two processes of two builds, whose lines
// and closures differ.
func TestTwoBuilds(t *testing.T) {
	server, otherServer := buildServer(t), buildOther(t)
	for _, mode := range []string{"leak", "timers"} {
		first, text := watchServer(t, startServer(t, server, mode))
		second, other := watchServer(t, startServer(t, otherServer, mode))
		if a, b := signatures(t, first), signatures(t, second); !slices.Equal(a, b) || len(a) == 0 {
			t.Errorf("%s: signatures %q and %q:\n%s\n%s", mode, a, b, text, other)
		}
		if mode == "leak" && leaks && (!strings.Contains(text, "main.forget.func1 ") || !strings.Contains(other, "main.forget.func3 ")) {
			t.Errorf("the builds do not differ:\n%s\n%s", text, other)
		}
	}
}
