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

// A side is one of the two compared toolchains, with a folder of its own for
// the files that it builds.
type side struct {
	name    string // "upstream" or "fork"
	goroot  string // absolute
	version string // as in its VERSION file
	dir     string // absolute; benchmarks name their files in it
}

// newSide returns the side with the toolchain in goroot, and makes the side's
// folder, dir. If there is no toolchain, the error has the advice.
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

// tags returns the build tags of programs. They name the packages of the
// toolchain that programs import and that upstream's does not have.
func (s *side) tags() string {
	if _, err := os.Stat(filepath.Join(s.goroot, "src/runtime/memscope")); err != nil {
		return ""
	}
	return "memscope"
}

// path returns the name of a benchmark's file in the side's folder.
func (s *side) path(elem ...string) string {
	return filepath.Join(append([]string{s.dir}, elem...)...)
}

// once builds a file of the side's folder, unless an earlier benchmark has
// built it.
func (s *side) once(name string, build func(file string) error) error {
	file := s.path(name)
	if _, err := os.Stat(file); err == nil {
		return nil
	}
	return build(file)
}

// goCommand returns a command that runs the side's own go command in dir. The
// files that it builds do not depend on a C compiler, or on the toolchain's
// folder.
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

// program returns a command in the clean environment plus env. When the session
// is interrupted, the command gets time to remove its files.
func (s *side) program(ctx context.Context, file string, env []string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, file, args...)
	cmd.Env = append(cleanEnv(os.Environ()), env...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// meddling are the variables that change the build or the run of a program. The
// module proxy, the caches and similar settings stay as the user has set them:
// both toolchains can share GOCACHE, because they have different versions.
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
