// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pprof_test

import (
	"internal/platform"
	"internal/testenv"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

const asanProgram = `package main

import (
	"os"
	"runtime/pprof"
)

type tree struct {
	left, right *tree
	n           [3]int
}

var root *tree

func grow(depth int) *tree {
	if depth == 0 {
		return nil
	}
	return &tree{left: grow(depth - 1), right: grow(depth - 1)}
}

func main() {
	root = grow(10)
	pprof.Lookup("refs").WriteTo(os.Stdout, 1)
}
`

// TestRefsASan checks that types are known in a program with the address
// sanitizer, which adds a redzone to each object.
func TestRefsASan(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the standard library with -asan")
	}
	if !platform.ASanSupported(runtime.GOOS, runtime.GOARCH) {
		t.Skip("the address sanitizer is not supported")
	}
	testenv.MustHaveGoRun(t)
	testenv.MustHaveCGO(t)
	dir := t.TempDir()
	src, exe := filepath.Join(dir, "main.go"), filepath.Join(dir, "main.exe")
	if err := os.WriteFile(src, []byte(asanProgram), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := testenv.Command(t, testenv.GoToolPath(t), "build", "-asan", "-o", exe, src).CombinedOutput(); err != nil {
		t.Skipf("cannot build with -asan: %v\n%s", err, out)
	}
	cmd := testenv.Command(t, exe)
	cmd.Env = append(os.Environ(), "ASAN_OPTIONS=detect_leaks=0")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"main.root\n", "main.tree.left *tree\n", "main.tree.right *tree\n"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
}
