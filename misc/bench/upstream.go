// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// pinnedVersion returns the upstream release of which the project in root is a
// fork. It is in lib/upstream.json or, if there is no such file, in VERSION.
func pinnedVersion(root string) (string, error) {
	data, err := os.ReadFile(filepath.Join(root, "lib", "upstream.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return versionFromFork(root)
	}
	if err != nil {
		return "", err
	}
	var pin struct{ Version string }
	if err := json.Unmarshal(data, &pin); err != nil || pin.Version == "" {
		return "", fmt.Errorf("%s names no version", filepath.Join(root, "lib", "upstream.json"))
	}
	return pin.Version, nil
}

// versionFromFork returns go1.2.3 if the file VERSION has go1.2.3-refs.
func versionFromFork(root string) (string, error) {
	data, err := os.ReadFile(filepath.Join(root, "VERSION"))
	if err != nil {
		return "", fmt.Errorf("upstream's version is in neither lib/upstream.json nor VERSION (name a toolchain with -upstream): %w", err)
	}
	version, _, ok := strings.Cut(strings.TrimSpace(string(data)), "-")
	if !ok || !strings.HasPrefix(version, "go") {
		return "", fmt.Errorf("VERSION: want go1.2.3-refs, have %q", data)
	}
	return version, nil
}

// findUpstream has the go command fetch the release, and returns its GOROOT.
func findUpstream(ctx context.Context, version string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "env", "GOROOT")
	cmd.Env = append(cleanEnv(os.Environ()), "GOTOOLCHAIN="+version)
	output, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("fetching upstream's %s (name a toolchain with -upstream): %w", version, describe(err))
	}
	return strings.TrimSpace(string(output)), nil
}
