// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"internal/testenv"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// crash ends a server in mode leak that has leaked three times, and returns the
// core file that the kernel has written.
func crash(t *testing.T, exe string) string {
	t.Helper()
	testenv.MustHaveExecPath(t, "sh")
	dir := t.TempDir()
	server := exec.Command("sh", "-c", "ulimit -c unlimited && exec "+quote(exe)+" leak")
	server.Dir, server.Env = dir, append(os.Environ(), "GOTRACEBACK=crash")
	leakThrice(t, startCommand(t, server))
	server.Process.Signal(syscall.SIGABRT)
	server.Wait()
	cores, err := filepath.Glob(filepath.Join(dir, "core*"))
	if err != nil {
		t.Fatal(err)
	}
	if len(cores) != 1 {
		t.Skipf("the kernel has written %d core files", len(cores))
	}
	core := filepath.Join(dir, "core.4242")
	if err := os.Rename(cores[0], core); err != nil {
		t.Fatal(err)
	}
	return core
}

// TestCore reads the core file of a process.
func TestCore(t *testing.T) {
	exe := buildServer(t)
	core := crash(t, exe)
	dir := filepath.Join(t.TempDir(), "dead")
	status, text, stderr := invoke("-o", dir, exe, core)
	for _, want := range []string{
		"server.exe, ", "; core file core.4242\n", "\n  live heap  ", "\nmost is held by main.sessions > map[int]*main.session[value]: 6.",
		"\nnot seen: classes of memory, goroutineleak, growth, inuse, peak: not in a core file\n",
		"\nNo finding: what has grown is not known, because all figures are of one moment, as far as could be seen.\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the report does not have %q:\n%s", want, text)
		}
	}
	if status != 0 || !strings.Contains(stderr, dir) {
		t.Errorf("status %d, %q", status, stderr)
	}
	if _, again, stderr := invoke(dir); again != text || stderr != "" {
		t.Errorf("the folder gives another report:\n%s\nand not\n%s%s", again, text, stderr)
	}
	k, err := readTake(dir)
	if err != nil {
		t.Fatal(err)
	}
	checkSessions(t, newFacts(k))
	out, err := testenv.Command(t, testenv.GoToolPath(t), "tool", "heapgraph", "top", filepath.Join(dir, graphName)).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "main.session") {
		t.Errorf("%v\n%s", err, out)
	}
	younger := makeTake(t, sizes{})
	younger.files["refs.2.pb.gz"] = encode(t, makeProfile("live_objects live_space", nil, row{[]int64{1, mb}, "main.sessions", "root=global"}))
	if status, text, stderr := invoke("-base", storeTake(t, younger), dir); status != 0 ||
		!strings.Contains(text, "The live heap grows below main.sessions.") || !strings.Contains(text, "live heap        6.5 MB") {
		t.Errorf("compared: status %d, %s\n%s", status, stderr, text)
	}
}
