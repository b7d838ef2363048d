// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pprof

import "testing"

// TestReplaceable checks, once for each name, which names of profiles a program
// can use for a profile of its own.
func TestReplaceable(t *testing.T) {
	if !ownProcess(t) {
		return
	}
	released := map[string]bool{"goroutine": true, "goroutineleak": true, "threadcreate": true, "heap": true,
		"allocs": true, "block": true, "mutex": true}
	taken := 0
	for _, p := range Profiles() {
		name := p.Name()
		if got, want := canTake(name), !released[name]; got != want {
			t.Errorf("a program can take %q: %v, want %v", name, got, want)
		}
		if released[name] {
			continue
		}
		taken++
		if Lookup(name) == p {
			t.Errorf("%q is still the profile that was there", name)
		}
		if canTake(name) {
			t.Errorf("%q can be taken twice", name)
		}
	}
	if taken == 0 {
		t.Error("no profile can be replaced")
	}
}

func canTake(name string) (ok bool) {
	defer func() { ok = recover() == nil }()
	NewProfile(name)
	return true
}
