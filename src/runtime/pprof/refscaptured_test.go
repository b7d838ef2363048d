// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pprof

import (
	"runtime"
	"testing"
)

type (
	refsCapturedA struct{ p *[5]int }
	refsCapturedB struct{ p *[5]int }
)

var (
	refsCaptured     []func()
	refsCapturedSink any
)

//go:noinline
func captureRefs[T any](v *T) func() {
	return func() { refsCapturedSink = v }
}

// TestRefsCapturedTypes has closures of one function in one place. The types of
// the variables that they capture differ, and are in the closures'
// dictionaries.
func TestRefsCapturedTypes(t *testing.T) {
	const n = 50
	for range n {
		refsCaptured = append(refsCaptured, captureRefs(&refsCapturedA{new([5]int)}), captureRefs(&refsCapturedB{new([5]int)}))
	}
	objects := make(map[string]int64)
	for _, s := range takeProfile(t, "refs").Sample {
		for _, typ := range s.Label["type"] {
			objects[typ] += s.Value[0]
		}
	}
	for _, typ := range []string{"pprof.refsCapturedA", "pprof.refsCapturedB"} {
		if objects[typ] != n {
			t.Errorf("%d objects of type %s, want %d", objects[typ], typ, n)
		}
	}
	runtime.KeepAlive(refsCaptured)
	refsCaptured = nil
}
