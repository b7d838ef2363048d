// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package evidence

import (
	"internal/platform"
	"internal/testenv"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

const asanProgram = `package main

import (
	"os"
	"runtime/evidence"
)

func main() {
	if err := evidence.Start(evidence.Config{Dir: os.Args[1]}); err != nil {
		panic(err)
	}
	evidence.Stop()
}
`

// TestASan checks that a program with the address sanitizer can free the
// reserve. The sanitizer's leak detector must know memory for which it is asked.
func TestASan(t *testing.T) {
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
	cmd := testenv.Command(t, exe, filepath.Join(dir, "evidence"))
	cmd.Env = append(os.Environ(), "ASAN_OPTIONS=detect_leaks=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
