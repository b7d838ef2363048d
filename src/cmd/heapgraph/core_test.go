// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCoreErrors checks that the command fails for files that it cannot read,
// and that it then leaves no file. Package core tests the rest.
func TestCoreErrors(t *testing.T) {
	dir := t.TempDir()
	text, out := filepath.Join(dir, "text"), filepath.Join(dir, "out")
	if err := os.WriteFile(text, []byte("no ELF file"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"core", text}, 2, "core takes 2 arguments, and not 1"},
		{[]string{"core", "-o", out, text, text}, 1, ""},
		{[]string{"core", "-o", out, filepath.Join(dir, "none"), text}, 1, ""},
		{[]string{"core", "-o", filepath.Join(dir, "none", "out"), text, text}, 1, "no such file"},
	} {
		status, _, stderr := start(test.args...)
		if status != test.status || !strings.Contains(stderr, test.want) {
			t.Errorf("%v: status %d and %q, and not %d and %q", test.args, status, stderr, test.status, test.want)
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a command that failed has left a file")
	}
}
