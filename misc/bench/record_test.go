// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestOnlyRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "record")
	run := toolRun{Tool: "link", Wall: 1.5, CPU: 2.5, Peak: 3 << 20}
	if err := appendRun(file, run); err != nil {
		t.Fatal(err)
	}
	if got, err := onlyRun(file, "link"); err != nil || got != run {
		t.Errorf("onlyRun = %+v, %v, want %+v", got, err, run)
	}
	if _, err := onlyRun(file, "asm"); err == nil {
		t.Error("a run of link passes for one of asm")
	}
	for _, other := range []struct {
		tool string
		ok   bool
	}{{"buildid", true}, {"compile", false}} {
		if err := appendRun(file, toolRun{Tool: other.tool}); err != nil {
			t.Fatal(err)
		}
		if _, err := onlyRun(file, "link"); (err == nil) != other.ok {
			t.Errorf("with a run of %s: %v", other.tool, err)
		}
	}
	twice := filepath.Join(t.TempDir(), "record")
	for range 2 {
		if err := appendRun(twice, run); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := onlyRun(twice, "link"); err == nil {
		t.Error("two runs pass for one")
	}
}

// TestRecordTool checks that the recorder is transparent to the go command: it
// passes a tool's failure on, and does not record a request for the tool's
// version.
func TestRecordTool(t *testing.T) {
	file := filepath.Join(t.TempDir(), "record")
	succeed, err := exec.LookPath("true")
	if err != nil {
		t.Skip(err)
	}
	fail, err := exec.LookPath("false")
	if err != nil {
		t.Skip(err)
	}
	if status := recordTool([]string{file, fail}); status != 1 {
		t.Errorf("a failing tool: status %d", status)
	}
	if status := recordTool([]string{file, succeed, "-V=full"}); status != 0 {
		t.Errorf("a version: status %d", status)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("a failure or a version is recorded")
	}
	if status := recordTool([]string{file, succeed}); status != 0 {
		t.Errorf("a tool: status %d", status)
	}
	if _, err := onlyRun(file, "true"); err != nil {
		t.Error(err)
	}
}
