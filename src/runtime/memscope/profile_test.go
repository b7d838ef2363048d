// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package memscope_test

import (
	"context"
	"fmt"
	"runtime"
	"runtime/memscope"
	"testing"
)

//go:noinline
func allocateForProfile(n int) []byte { return make([]byte, n) }

func TestNamesInMemoryProfiles(t *testing.T) {
	setRate(t, 1)
	profiles := []struct{ name, value string }{
		{"heap", "alloc_objects"},
		{"heap", "inuse_objects"},
		{"allocs", "alloc_objects"},
		{"inuse", "inuse_objects"},
	}
	runtime.GC()
	runtime.GC()                 // so that objects of earlier runs in scopes are forgotten
	before := map[string]int64{} // values without a scope
	for _, p := range profiles {
		before[p.name+p.value] = scopesIn(t, p.name, p.value, "allocateForProfile")[""]
	}
	var keep [][]byte
	inScopes(func(n int) {
		for range n {
			keep = append(keep, allocateForProfile(5000))
			allocateForProfile(5000)
		}
	})
	runtime.GC()
	for _, p := range profiles {
		want := map[string]int64{"": 8, "a": 7, "b": 13}
		if p.value == "alloc_objects" {
			want = map[string]int64{"": 16, "a": 14, "b": 26}
		}
		want[""] += before[p.name+p.value]
		if got := scopesIn(t, p.name, p.value, "allocateForProfile"); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s of the %s profile are %v, want %v", p.value, p.name, got, want)
		}
	}
	runtime.KeepAlive(keep)
}

func TestTooManyNames(t *testing.T) {
	setRate(t, 1)
	var keep [][]byte
	for i := range 300 {
		memscope.Run(background, memscope.Limits{Name: fmt.Sprint("name ", i)}, func(context.Context) error {
			keep = append(keep, allocateForOther(4000))
			return nil
		})
	}
	runtime.GC()
	got := scopesIn(t, "heap", "inuse_objects", "allocateForOther")
	n := int64(0)
	for name, objects := range got {
		n += objects
		if name != "(other)" && objects != 1 {
			t.Errorf("%d objects of %q", objects, name)
		}
	}
	if n != 300 || got["(other)"] < 45 || len(got) > 256 {
		t.Errorf("%d objects, %d names, %d objects of others", n, len(got), got["(other)"])
	}
	runtime.KeepAlive(keep)
}

//go:noinline
func allocateForOther(n int) []byte { return make([]byte, n) }
