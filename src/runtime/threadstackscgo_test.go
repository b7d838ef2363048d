// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package runtime_test

import (
	"internal/profile"
	"internal/testenv"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// TestThreadStacksCgo checks the profile of goroutines that park in Go code that
// C code called. Some of the callers are goroutines in C, and some are threads
// that C started.
func TestThreadStacksCgo(t *testing.T) {
	testenv.MustHaveCGO(t)
	if runtime.GOOS == "windows" || runtime.GOOS == "plan9" {
		t.Skipf("no pthreads on %s", runtime.GOOS)
	}
	file := filepath.Join(t.TempDir(), "goroutine.pprof")
	out := runTestProg(t, "testprogcgo", "ThreadStacksCallback", "THREADSTACKS_PROFILE="+file)
	metric, err := strconv.ParseInt(strings.TrimSpace(out), 10, 64)
	if err != nil {
		t.Fatalf("the program prints %q, want a number", out)
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := profile.Parse(f)
	if err != nil {
		t.Fatal(err)
	}
	var total, goroutines, callback int64
	for _, s := range p.Sample {
		total += s.Value[1]
		for _, l := range s.Location {
			if l.Line[0].Function.Name == "main.goThreadStacksCallback" {
				goroutines += s.Value[0]
				callback += s.Value[1]
				break
			}
		}
	}
	if total != metric {
		t.Errorf("the profile adds up to %d bytes, the metric is %d", total, metric)
	}
	if goroutines != 20 {
		t.Errorf("%d goroutines in callbacks, want 20", goroutines)
	}
	if callback < 20*3000 {
		t.Errorf("%d bytes in callbacks, want at least %d", callback, 20*3000)
	}
}
