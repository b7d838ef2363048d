// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A side is one of the two toolchains.
type side struct {
	name    string // "gorefs" or "upstream"
	goroot  string // absolute
	version string // as in its VERSION file
}

func newSide(name, goroot, advice string) (*side, error) {
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
	return &side{name, goroot, line}, nil
}

// findUpstream lets the go command fetch upstream's release as a module. The
// file lib/upstream.json in root names the release.
func findUpstream(ctx context.Context, root string) (*side, error) {
	file := filepath.Join(root, "lib", "upstream.json")
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var pin struct{ Version string }
	if err := json.Unmarshal(data, &pin); err != nil || pin.Version == "" {
		return nil, fmt.Errorf("%s names no version", file)
	}
	cmd := exec.CommandContext(ctx, "go", "env", "GOROOT")
	cmd.Env = append(cleanEnv(os.Environ()), "GOTOOLCHAIN="+pin.Version)
	cmd.Stderr = os.Stderr
	goroot, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("fetching upstream's %s: %w", pin.Version, err)
	}
	return newSide("upstream", strings.TrimSpace(string(goroot)), "its module is damaged")
}

// env returns the environment of all commands that a job runs. The side's go
// command is first in PATH after bin, and must not switch to another toolchain.
func (s *side) env(bin string) []string {
	path := strings.Join([]string{bin, filepath.Join(s.goroot, "bin"), os.Getenv("PATH")}, string(os.PathListSeparator))
	return append(cleanEnv(os.Environ()),
		"GOTOOLCHAIN=local", "GOWORK=off", "GOFLAGS=-buildvcs=false", "GOBIN="+bin, "PATH="+path)
}

// meddling has the names of environment variables that change the build or the
// run of a program. The module proxy and the caches stay as the user has set
// them: both toolchains can share GOCACHE, because they have different
// versions.
var meddling = []string{
	"CGO_ENABLED", "GO111MODULE", "GOAMD64", "GOARCH", "GOARM64", "GOBIN", "GODEBUG", "GOEXPERIMENT",
	"GOFIPS140", "GOFLAGS", "GOGC", "GOMAXPROCS", "GOMEMLIMIT", "GOOS", "GOROOT", "GOTOOLCHAIN",
	"GOTOOLDIR", "GOTRACEBACK", "GOWORK",
}

func cleanEnv(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(setting string) bool {
		name, _, _ := strings.Cut(setting, "=")
		return slices.Contains(meddling, name)
	})
}
