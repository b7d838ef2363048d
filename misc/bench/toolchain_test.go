// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func writeFile(t *testing.T, content string, elem ...string) {
	t.Helper()
	name := filepath.Join(elem...)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o777); err != nil {
		t.Fatal(err)
	}
}

func TestPinnedVersion(t *testing.T) {
	root := t.TempDir()
	if version, err := pinnedVersion(root); err == nil {
		t.Errorf("version %q of nothing", version)
	}
	writeFile(t, "go1.2.3-refs\n", root, "VERSION")
	if version, err := pinnedVersion(root); version != "go1.2.3" {
		t.Errorf("from VERSION: %q, %v, want go1.2.3", version, err)
	}
	writeFile(t, `{"version":"go1.2.4","hash":"h1:x"}`, root, "lib", "upstream.json")
	if version, err := pinnedVersion(root); version != "go1.2.4" {
		t.Errorf("from the pin: %q, %v, want go1.2.4", version, err)
	}
	writeFile(t, `{"hash":"h1:x"}`, root, "lib", "upstream.json")
	if version, err := pinnedVersion(root); err == nil {
		t.Errorf("version %q of a pin without one", version)
	}
}

func TestNewSide(t *testing.T) {
	goroot, dir := t.TempDir(), filepath.Join(t.TempDir(), "side")
	if _, err := newSide("fork", goroot, dir, "build it"); err == nil || !strings.HasSuffix(err.Error(), ": build it") {
		t.Errorf("without a toolchain: %v, want advice", err)
	}
	writeFile(t, "", goroot, "bin", "go")
	writeFile(t, "go1.2.3-refs-1a2b3c4d\ntime 2026-01-01T00:00:00Z\n", goroot, "VERSION")
	s, err := newSide("fork", goroot, dir, "build it")
	if err != nil || s.version != "go1.2.3-refs-1a2b3c4d" {
		t.Errorf("newSide = %+v, %v", s, err)
	}
}

func TestCleanEnv(t *testing.T) {
	got := cleanEnv([]string{"HOME=/x", "GOGC=50", "GOCACHE=/y", "GODEBUG=gctrace=1", "GOFLAGS=-x"})
	if want := []string{"HOME=/x", "GOCACHE=/y"}; !slices.Equal(got, want) {
		t.Errorf("cleanEnv = %q, want %q", got, want)
	}
}
