// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package evidence

import (
	"math"
	"runtime/debug"
	"testing"
)

func TestBrake(t *testing.T) {
	const braked = 1000 + 200 + 50<<20 // half of the 100 MiB that are left
	u := usage{source: "cgroup /x", limit: 200 << 20, inUse: 100 << 20, goInUse: 1000, free: 200}
	for _, test := range []struct {
		name   string
		source string
		before int64 // memory limit
		set    int64 // memory limit that the program sets meanwhile, or 0

		during, after int64
	}{
		{"cgroup", "cgroup /x", math.MaxInt64, 0, braked, math.MaxInt64},
		{"program sets a limit", "cgroup /x", math.MaxInt64, 1 << 40, braked, 1 << 40},
		{"larger limit is set", "cgroup /x", 1 << 50, 0, 1 << 50, 1 << 50},
		{"GOMEMLIMIT", gomemlimit, 1 << 40, 0, 1 << 40, 1 << 40},
		{"no limit", "", math.MaxInt64, 0, math.MaxInt64, math.MaxInt64},
	} {
		t.Run(test.name, func(t *testing.T) {
			setMemoryLimit(t, test.before)
			u.source = test.source
			release := brake(u)
			if got := debug.SetMemoryLimit(-1); got != test.during {
				t.Errorf("limit meanwhile: got %d, want %d", got, test.during)
			}
			if test.set != 0 {
				debug.SetMemoryLimit(test.set)
			}
			release()
			if got := debug.SetMemoryLimit(-1); got != test.after {
				t.Errorf("limit after that: got %d, want %d", got, test.after)
			}
		})
	}
}

// TestBrakeBeyond brakes when memory in use is above the limit already.
func TestBrakeBeyond(t *testing.T) {
	setMemoryLimit(t, math.MaxInt64)
	u := usage{source: "cgroup /x", limit: 10, inUse: 20, goInUse: 1 << 40}
	release := brake(u)
	if got := debug.SetMemoryLimit(-1); got != u.goInUse {
		t.Errorf("limit meanwhile: got %d, want %d", got, u.goInUse)
	}
	release()
}
