// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
)

var escapes = regexp.MustCompile(`(?m)^(.*\.go):(\d+):\d+: .* escapes to heap`)

// readEscapes asks the compiler which lines of the runtime allocate from the
// heap. Package ssa does not know which calls of new and make can use the stack.
func readEscapes(dir string, env []string) (map[string]bool, error) {
	cmd := exec.Command("go", "build", "-gcflags=-m", "runtime")
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "GOFLAGS=", "GOWORK=off", "GOTOOLCHAIN=local"), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%v: %s", err, bytes.TrimSpace(out))
	}
	lines := make(map[string]bool)
	for _, m := range escapes.FindAllSubmatch(out, -1) {
		lines[filepath.Base(string(m[1]))+":"+string(m[2])] = true
	}
	return lines, nil
}
