// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bufio"
	"errors"
	"internal/testenv"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// link makes a link to the file old by the function link. It skips the test if
// that fails.
func link(t *testing.T, link func(old, new string) error, old string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "link")
	if err := link(old, name); err != nil {
		t.Skip(err)
	}
	return name
}

// checkContent checks the content of a file, and that its directory has no
// other file.
func checkContent(t *testing.T, name, want string) {
	t.Helper()
	if b, err := os.ReadFile(name); err != nil || string(b) != want {
		t.Errorf("%s has %q, %v; want %q", name, b, err, want)
	}
	if list, err := os.ReadDir(filepath.Dir(name)); err != nil || len(list) != 1 {
		t.Errorf("%d files are in %s, %v", len(list), filepath.Dir(name), err)
	}
}

// TestOutputIsInput checks that no command replaces a file that it reads.
func TestOutputIsInput(t *testing.T) {
	snapshot := string((&server{sessions: 2}).encode(t))
	for _, test := range []struct {
		name string
		path func(t *testing.T, name string) string
	}{
		{"same", func(t *testing.T, name string) string { return name }},
		{"dots", func(t *testing.T, name string) string { return filepath.Dir(name) + "/./" + filepath.Base(name) }},
		{"symlink", func(t *testing.T, name string) string { return link(t, os.Symlink, name) }},
		{"link", func(t *testing.T, name string) string { return link(t, os.Link, name) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			exe, core, graph := writeTemp(t, []byte("exe")), writeTemp(t, []byte("core")), writeTemp(t, []byte(snapshot))
			for _, args := range [][]string{
				{"core", "-o", test.path(t, core), exe, core},
				{"core", exe, core, "-o", test.path(t, exe)},
				{"export", "-o", test.path(t, graph), "pprof", graph},
				{"export", "-o", test.path(t, graph), "heapsnapshot", graph},
			} {
				if status, _, stderr := start(args...); status != 2 || !strings.Contains(stderr, " would destroy ") {
					t.Errorf("%v: status %d, %s", args, status, stderr)
				}
			}
			checkContent(t, exe, "exe")
			checkContent(t, core, "core")
			checkContent(t, graph, snapshot)
		})
	}
}

// TestOutputKept checks that a command that fails does not change an output
// file from before.
func TestOutputKept(t *testing.T) {
	text := writeTemp(t, []byte("no snapshot, and no ELF file"))
	for _, args := range [][]string{{"core", text, text}, {"export", "pprof", text}, {"export", "heapsnapshot", text}} {
		out := writeTemp(t, []byte("old"))
		if status, _, _ := start(append(args, "-o", out)...); status != 1 {
			t.Errorf("%v: status %d", args, status)
		}
		checkContent(t, out, "old")
	}
}

func TestWriteOutput(t *testing.T) {
	text := func(text string) func(io.Writer) error {
		return func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		}
	}
	fail := errors.New("failed")
	t.Run("new", func(t *testing.T) {
		name := filepath.Join(t.TempDir(), "x")
		if err := writeFile(name, text("new")); err != nil {
			t.Fatal(err)
		}
		checkContent(t, name, "new")
	})
	t.Run("replace", func(t *testing.T) {
		name := writeTemp(t, []byte("older and longer"))
		if err := os.Chmod(name, 0o606); err != nil {
			t.Fatal(err)
		}
		if err := writeFile(name, text("new")); err != nil {
			t.Fatal(err)
		}
		checkContent(t, name, "new")
		if info, err := os.Stat(name); err != nil || runtime.GOOS != "windows" && info.Mode() != 0o606 {
			t.Errorf("mode %v, %v", info.Mode(), err)
		}
	})
	t.Run("fail", func(t *testing.T) {
		name := writeTemp(t, []byte("old"))
		err := writeFile(name, func(w io.Writer) error {
			io.WriteString(w, strings.Repeat("half of it", 1<<14))
			return fail
		})
		if err != fail {
			t.Errorf("the error is %v", err)
		}
		checkContent(t, name, "old")
	})
	t.Run("symlink", func(t *testing.T) {
		name := writeTemp(t, []byte("old"))
		l := link(t, os.Symlink, name)
		if err := writeFile(l, text("new")); err != nil {
			t.Fatal(err)
		}
		checkContent(t, name, "new")
		if info, err := os.Lstat(l); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("the link is no link now: %v", err)
		}
	})
	t.Run("device", func(t *testing.T) {
		if runtime.GOOS == "windows" || runtime.GOOS == "plan9" {
			t.Skip("needs /dev/null")
		}
		if err := writeFile(os.DevNull, text("new")); err != nil {
			t.Error(err)
		}
		if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
			t.Errorf("%s is %v, %v", os.DevNull, info.Mode(), err)
		}
	})
	t.Run("readonly", func(t *testing.T) {
		name := writeTemp(t, []byte("old"))
		if err := os.Chmod(name, 0o444); err != nil {
			t.Fatal(err)
		}
		if f, err := os.OpenFile(name, os.O_WRONLY, 0); err == nil {
			f.Close()
			t.Skip("this user may write all files")
		}
		if err := writeFile(name, text("new")); err == nil {
			t.Error("a file that may not be written was replaced")
		}
		checkContent(t, name, "old")
	})
}

// TestInterrupt interrupts a process that writes a file. The process runs this
// test with a variable in its environment.
func TestInterrupt(t *testing.T) {
	const variable = "HEAPGRAPH_TEST_OUTPUT"
	if name := os.Getenv(variable); name != "" {
		writeFile(name, func(w io.Writer) error {
			io.WriteString(w, strings.Repeat("half of it", 1<<14))
			os.Stdout.WriteString("written\n")
			select {}
		})
	}
	if runtime.GOOS == "windows" || runtime.GOOS == "plan9" {
		t.Skip("needs os.Interrupt")
	}
	testenv.MustHaveExec(t)
	name := writeTemp(t, []byte("old"))
	cmd := testenv.Command(t, testenv.Executable(t), "-test.run=^TestInterrupt$")
	cmd.Env = append(os.Environ(), variable+"="+name)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	if line, err := bufio.NewReader(stdout).ReadString('\n'); line != "written\n" {
		t.Fatalf("it printed %q, %v", line, err)
	}
	if list, err := os.ReadDir(filepath.Dir(name)); err != nil || len(list) != 2 {
		t.Errorf("%d files are there while one is written, %v", len(list), err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("the process has succeeded")
	}
	checkContent(t, name, "old")
}

// TestNoFile checks the error for a snapshot that is no regular file.
func TestNoFile(t *testing.T) {
	dir := t.TempDir()
	if status, _, stderr := start("top", dir); status != 1 || !strings.Contains(stderr, "is no regular file") {
		t.Errorf("status %d, %s", status, stderr)
	}
}
