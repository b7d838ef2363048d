// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// storeEvidence stores a take as a set of evidence.
func storeEvidence(t *testing.T, k *take) string {
	t.Helper()
	dir := t.TempDir()
	text := "reason: memory in use is 97% of the memory limit\ntime: 2026-11-28T03:52:15.8Z\nmemory limit: 200000000 bytes (GOMEMLIMIT)\n" +
		"program: /bin/server\n\nmemory limit: 1 bytes\n"
	if err := k.write(dir, "evidence.txt", []byte(text)); err != nil {
		t.Fatal(err)
	}
	for file, name := range evidenceFiles {
		if k.files[file] != nil {
			if err := k.write(dir, name, k.files[file]); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

func TestEvidence(t *testing.T) {
	k := makeTake(t, sizes{leak: 40 * mb, mapStep: mb})
	k.files["peak.pb.gz"] = encode(t, makeProfile("peak_space", []string{"peak: 190000000 bytes in use at 2026-11-28T02:52:15.8Z"},
		row{[]int64{180 * mb}, "main.report@/m/a.go < Heap objects < Go memory", ""}))
	delete(k.files, "inuse.2.pb.gz")
	dir := storeEvidence(t, k)
	status, text, stderr := invoke(dir)
	for _, want := range []string{
		"server, 2026-11-28 03:52:15 UTC; evidence: memory in use is 97% of the memory limit\n\n                      now\n",
		"\nresident            42 MB\n", "\nlimit              200 MB\n", "\ngoroutines            100\n",
		"\nmost is held by main.items > map[int]*main.item[value]: 58 MB of 60 MB\n", "\nnot seen: inuse: not in the set\n",
		"\n1. Memory in use was 190 MB, 1 h 0 min earlier, and is 33 MB.\n", "\n   more: go tool pprof -top " + quote(filepath.Join(dir, "peak.pb.gz")) + "\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the report does not have %q:\n%s", want, text)
		}
	}
	if status != 0 || stderr != "" || strings.Contains(text, "\n2. ") {
		t.Errorf("status %d, %q:\n%s", status, stderr, text)
	}
	old := storeTake(t, makeTake(t, sizes{}))
	if _, text, _ := invoke("-base", old, dir); !strings.Contains(text, "The live heap grows below main.items.") {
		t.Errorf("compared with a folder:\n%s", text)
	}
}

// TestKilled reads the set that a process has written before it is killed.
func TestKilled(t *testing.T) {
	exe, sets := buildServer(t), t.TempDir()
	startServer(t, exe, "full", "GOMEMLIMIT=80MiB", "GODEBUG=memevidence="+sets+":share=60")
	var dir string
	for dir == "" {
		time.Sleep(10 * time.Millisecond)
		all, err := os.ReadDir(sets)
		if err != nil {
			t.Fatal(err)
		}
		for _, set := range all {
			if set.IsDir() && !strings.HasSuffix(set.Name(), ".partial") {
				dir = filepath.Join(sets, set.Name())
			}
		}
	}
	status, text, stderr := invoke(dir)
	for _, want := range []string{
		"server.exe, ", "; evidence: ", "\nlimit               84 MB\n",
		"\nmost is held by main.sessions > map[int]*main.session[value]: ",
		"\nNo finding: what has grown is not known, because all figures are of one moment.\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the report does not have %q:\n%s", want, text)
		}
	}
	if status != 0 || stderr != "" {
		t.Errorf("status %d, %q", status, stderr)
	}
	moved := filepath.Join(t.TempDir(), "moved")
	if err := os.Rename(dir, moved); err != nil {
		t.Fatal(err)
	}
	if _, again, stderr := invoke(moved); strings.ReplaceAll(again, moved, dir) != text || stderr != "" {
		t.Errorf("the set gives another report elsewhere:\n%s\nand not\n%s%s", again, text, stderr)
	}
}

func TestWrongEvidence(t *testing.T) {
	dir := storeEvidence(t, makeTake(t, sizes{}))
	os.WriteFile(filepath.Join(dir, "refs.pb.gz"), []byte("x"), 0o666)
	wantError(t, "refs.pb.gz: damaged", dir)
	dir = t.TempDir()
	os.WriteFile(filepath.Join(dir, "evidence.txt"), []byte("time: yesterday\n"), 0o666)
	wantError(t, "evidence.txt: damaged", dir)
	os.WriteFile(filepath.Join(dir, "evidence.txt"), nil, 0o666)
	wantError(t, "evidence.txt: damaged: it has no time", dir)
}
