// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package evidence

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strings"
	"syscall"
	"testing"
)

// TestLockedMemory checks that a process that locks its memory, of which it
// may lock only a little, gets an error where memory is denied.
func TestLockedMemory(t *testing.T) {
	const variable = "TEST_LOCKED_MEMORY"
	for name, take := range map[string]func(dir string) error{
		"evidence": func(dir string) error { return Start(Config{Dir: dir, Reserve: 64 << 20}) },
		"refs":     func(string) error { return pprof.Lookup("refs").WriteTo(io.Discard, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			if os.Getenv(variable) == "" {
				dir := t.TempDir()
				os.Chmod(filepath.Dir(dir), 0o777) // for nobody
				os.Chmod(dir, 0o777)
				t.Setenv(variable, dir)
			}
			if !ownProcess(t, "GOGC=off") {
				return
			}
			live := make([]byte, 64<<20) // a recording takes more memory for a larger heap
			runtime.KeepAlive(make([]byte, 32<<20))
			runtime.GC() // frees the latter, so that the heap need not grow
			lockMemory(t, 8<<20)
			if err := take(os.Getenv(variable)); err == nil || !strings.Contains(err.Error(), "no memory") {
				t.Errorf("error %v, want no memory", err)
			}
			runtime.KeepAlive(live)
		})
	}
}

const nobody = 65534

// lockMemory locks all memory that the process will map, allows it so many
// bytes of that, and takes the privileges from it to exceed them.
func lockMemory(t *testing.T, most uint64) {
	const rlimitMemlock = 8
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(rlimitMemlock, &limit); err != nil || limit.Max < most {
		t.Skip("too little memory may be locked: ", limit.Max, err)
	}
	limit.Cur = most
	if err := syscall.Setrlimit(rlimitMemlock, &limit); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mlockall(syscall.MCL_FUTURE); err != nil {
		t.Skip(err)
	}
	if os.Getuid() == 0 {
		if err := syscall.Setuid(nobody); err != nil {
			t.Skip(err)
		}
	}
}
