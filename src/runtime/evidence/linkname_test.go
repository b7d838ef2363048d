// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package evidence

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestPulled checks that package runtime pushes no symbol into this package.
// Tools that know upstream's standard library look for the packages into which
// package runtime pushes symbols.
func TestPulled(t *testing.T) {
	files, _ := filepath.Glob("../*.go")
	if len(files) == 0 {
		t.Skip("no sources")
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			if bytes.HasPrefix(line, []byte("//go:linkname ")) && bytes.Contains(line, []byte(" runtime/evidence.")) {
				t.Errorf("%s: %s", file, line)
			}
		}
	}
}
