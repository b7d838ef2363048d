// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package memscope_test

import (
	"bytes"
	"context"
	"fmt"
	"internal/profile"
	"runtime/memscope"
	"runtime/pprof"
	"slices"
	"strings"
	"testing"
)

// Names of the tests. They are added first, before other names can use up the
// limit of names.
var _ = []error{named("a"), named("b"), named("kind0"), named("kind1"), named("kind2")}

func named(name string) error {
	return memscope.Run(background, memscope.Limits{Name: name}, func(context.Context) error { return nil })
}

// leastObject is the size from which on objects count in scopesIn. Those of tests
// have it; a sudog, which the runtime allocates in a test's allocation if a
// collection begins there, has less.
const leastObject = 4000

// scopesIn returns, by scope, the sums of one value of those samples of a
// profile that have f on their stacks.
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
		if size := s.NumLabel["bytes"]; len(size) > 0 && size[0] < leastObject {
			continue
		}
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

// inScopes calls work in scopes and outside of them. n identifies the call. The
// sum of n is 8 over the calls outside of scopes, 7 over the calls in scopes
// with the name a, and 13 over the calls in scopes with the name b.
func inScopes(work func(n int)) {
	in := func(ctx context.Context, name string, n int) {
		memscope.Run(ctx, memscope.Limits{Name: name}, func(context.Context) error { work(n); return nil })
	}
	work(1)
	in(background, "a", 2)
	memscope.Run(background, memscope.Limits{Name: "b"}, func(ctx context.Context) error {
		work(3)
		in(ctx, "", 4) // has the name b
		in(ctx, "a", 5)
		pprof.Do(ctx, pprof.Labels("memscope", "mine", "k", "v"), func(context.Context) { work(6) })
		memscope.Detach(ctx, func(context.Context) { work(7) })
		return nil
	})
}

//go:noinline
func waitForProfile(ready, stop chan bool) { ready <- true; <-stop }

func TestNamesInGoroutineProfile(t *testing.T) {
	ready, stop, done := make(chan bool), make(chan bool), make(chan bool)
	inScopes(func(int) {
		go func() { waitForProfile(ready, stop); done <- true }()
		<-ready
	})
	want := map[string]int64{"": 2, "a": 2, "b": 3}
	if got := scopesIn(t, "goroutine", "goroutine", "waitForProfile"); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("goroutines are %v, want %v", got, want)
	}
	var b bytes.Buffer
	pprof.Lookup("goroutine").WriteTo(&b, 1)
	if want := "# labels: {\"memscope\":\"a\"}"; !strings.Contains(b.String(), want) {
		t.Errorf("the goroutine profile's text has no %s", want)
	}
	for range 7 {
		stop <- true
		<-done // so that the goroutine is not in the next profile
	}
}
