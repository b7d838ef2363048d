// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package core

import (
	"bytes"
	"internal/race"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"testing"
)

// selfFiles returns the executable of the test and a core file of its process.
// The core file has no threads, and is written while the process runs. The
// memory that the tests check does not change during that time.
func selfFiles(t *testing.T) (exe, core *file) {
	t.Helper()
	if race.Enabled {
		t.Skip("the memory of the race detector is too large")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	runtime.GC()
	name := filepath.Join(t.TempDir(), "core")
	writeMemory(t, name, os.Getpid(), new(bytes.Buffer))
	open := func(name string) *file {
		f, err := openFile(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.close() })
		return f
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return open(self), open(name)
}
