// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A side is one of the two toolchains compared, with a folder of its own for
// what is built.
type side struct {
	name    string // "upstream" or "fork"
	goroot  string // absolute
	version string // as in its VERSION file
	dir     string // absolute; benchmarks name their files in it
}

// newSide checks that a toolchain stands in goroot. The advice says what to
// do when none does.
func newSide(name, goroot, dir, advice string) (*side, error) {
	goroot, err := filepath.Abs(goroot)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(goroot, "bin", "go")); err != nil {
		return nil, fmt.Errorf("no toolchain in %s: %s", goroot, advice)
	}
	version, err := os.ReadFile(filepath.Join(goroot, "VERSION"))
	if err != nil {
		return nil, err
	}
	line, _, _ := strings.Cut(string(version), "\n")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	return &side{name, goroot, line, dir}, nil
}

// tags are the build tags of programs: what the toolchain has that upstream's does not.
func (s *side) tags() string {
	if _, err := os.Stat(filepath.Join(s.goroot, "src/runtime/memscope")); err != nil {
		return ""
	}
	return "memscope"
}

// path is the name of a file of a benchmark's in the side's folder.
func (s *side) path(elem ...string) string {
	return filepath.Join(append([]string{s.dir}, elem...)...)
}

// once has a file of the side's folder built unless an earlier benchmark did.
func (s *side) once(name string, build func(file string) error) error {
	file := s.path(name)
	if _, err := os.Stat(file); err == nil {
		return nil
	}
	return build(file)
}

// goCommand is the side's own go command, run in dir. What it builds does not
// depend on a C compiler, or on where the toolchain is.
func (s *side) goCommand(ctx context.Context, dir string, args ...string) *exec.Cmd {
	bin := filepath.Join(s.goroot, "bin")
	cmd := s.program(ctx, filepath.Join(bin, "go"), []string{
		"CGO_ENABLED=0",
		"GOTOOLCHAIN=local",
		"GOWORK=off",
		"GOFLAGS=-trimpath -buildvcs=false",
		"PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH"),
	}, args...)
	cmd.Dir = dir
	return cmd
}

// program is a command in the clean environment plus env. When the session is
// interrupted it gets time to clean up behind it.
func (s *side) program(ctx context.Context, file string, env []string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, file, args...)
	cmd.Env = append(cleanEnv(os.Environ()), env...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// meddling are the variables that change what is built or how it runs. The
// module proxy, the caches and their like stay as the user has them: both
// toolchains may share GOCACHE, for they have different versions.
var meddling = []string{
	"CGO_ENABLED", "GO111MODULE", "GOAMD64", "GOARCH", "GOARM64", "GODEBUG", "GOEXPERIMENT", "GOFIPS140",
	"GOFLAGS", "GOGC", "GOMAXPROCS", "GOMEMLIMIT", "GOOS", "GOROOT", "GOTOOLCHAIN",
	"GOTOOLDIR", "GOTRACEBACK", "GOWORK",
}

func cleanEnv(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains(meddling, name)
	})
}
