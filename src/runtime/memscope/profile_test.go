// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package memscope_test

import (
	"bytes"
	"context"
	"fmt"
	"internal/profile"
	"runtime"
	"runtime/memscope"
	"runtime/pprof"
	"slices"
	"strings"
	"testing"
)

// Names of the tests. They are added first, before other names take all the
// room.
var _ = []error{named("a"), named("b"), named("kind0"), named("kind1"), named("kind2")}

func named(name string) error {
	return memscope.Run(background, memscope.Limits{Name: name}, func(context.Context) error { return nil })
}

// scopesIn returns the sums, by scope, of a value of a profile's samples that
// have f on their stacks.
func scopesIn(t *testing.T, name, value, f string) map[string]int64 {
	t.Helper()
	var b bytes.Buffer
	if err := pprof.Lookup(name).WriteTo(&b, 0); err != nil {
		t.Fatal(err)
	}
	p, err := profile.Parse(&b)
	if err != nil {
		t.Fatal(err)
	}
	index := slices.IndexFunc(p.SampleType, func(v *profile.ValueType) bool { return v.Type == value })
	if index < 0 {
		t.Fatalf("there is no %s in the %s profile", value, name)
	}
	sums := map[string]int64{}
	for _, s := range p.Sample {
		if slices.ContainsFunc(s.Location, func(l *profile.Location) bool {
			return slices.ContainsFunc(l.Line, func(l profile.Line) bool { return strings.Contains(l.Function.Name, f) })
		}) {
			if v := s.Value[index]; v != 0 {
				sums[strings.Join(s.Label["memscope"], ",")] += v
			}
		}
	}
	return sums
}

//go:noinline
func allocateForProfile(n int) []byte { return make([]byte, n) }

//go:noinline
func waitForProfile(ready, stop chan bool) { ready <- true; <-stop }

func TestNamesInProfiles(t *testing.T) {
	setRate(t, 1)
	var keep [][]byte
	ready, stop := make(chan bool), make(chan bool)
	work := func(n int) func(context.Context) error {
		return func(ctx context.Context) error {
			for range n {
				keep = append(keep, allocateForProfile(5000))
				allocateForProfile(5000)
			}
			go waitForProfile(ready, stop)
			<-ready
			return nil
		}
	}
	profiles := []struct{ name, value, f string }{
		{"heap", "alloc_objects", "allocateForProfile"},
		{"heap", "inuse_objects", "allocateForProfile"},
		{"allocs", "alloc_objects", "allocateForProfile"},
		{"inuse", "inuse_objects", "allocateForProfile"},
		{"goroutine", "goroutine", "waitForProfile"},
	}
	runtime.GC()
	runtime.GC()                 // so that objects of earlier runs in scopes are forgotten
	before := map[string]int64{} // values without a scope
	for _, p := range profiles {
		before[p.name+p.value] = scopesIn(t, p.name, p.value, p.f)[""]
	}
	work(1)(background)
	memscope.Run(background, memscope.Limits{Name: "a"}, work(2))
	memscope.Run(background, memscope.Limits{Name: "b"}, func(ctx context.Context) error {
		work(3)(ctx)
		memscope.Run(ctx, memscope.Limits{}, work(4)) // has the name b
		memscope.Run(ctx, memscope.Limits{Name: "a"}, work(5))
		pprof.Do(ctx, pprof.Labels("memscope", "mine", "k", "v"), func(ctx context.Context) { work(6)(ctx) })
		memscope.Detach(ctx, func(ctx context.Context) { work(7)(ctx) })
		return nil
	})
	runtime.GC()
	for _, p := range profiles {
		want := map[string]int64{"": 8, "a": 7, "b": 13}
		switch p.value {
		case "alloc_objects":
			want = map[string]int64{"": 16, "a": 14, "b": 26}
		case "goroutine":
			want = map[string]int64{"": 2, "a": 2, "b": 3}
		}
		want[""] += before[p.name+p.value]
		if got := scopesIn(t, p.name, p.value, p.f); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s of the %s profile are %v, want %v", p.value, p.name, got, want)
		}
	}
	var b bytes.Buffer
	pprof.Lookup("goroutine").WriteTo(&b, 1)
	if want := "# labels: {\"memscope\":\"a\"}"; !strings.Contains(b.String(), want) {
		t.Errorf("the goroutine profile's text has no %s", want)
	}
	for range 7 {
		stop <- true
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
