// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package evidence

import (
	"os"
	"slices"
	"syscall"
	"testing"
)

// TestNoDescriptors leaks files until no more can be opened, and then leaks
// memory.
func TestNoDescriptors(t *testing.T) {
	if !ownProcess(t, "GOMEMLIMIT=off", "GOGC=20") {
		return
	}
	sets := start(t, Config{Dir: t.TempDir(), Growth: 16 << 20})
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: 64, Max: 64}); err != nil {
		t.Fatal(err)
	}
	var files []*os.File
	for {
		f, err := os.Open(os.DevNull)
		if err != nil {
			break
		}
		files = append(files, f)
	}
	leakBytes(64 << 20)
	set := <-sets
	for _, f := range files {
		f.Close()
	}
	if files := names(t, set); !slices.Equal(files, allFiles()) {
		t.Errorf("got files %q, want %q", files, allFiles())
	}
}
