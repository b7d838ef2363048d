// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package deepstack

import (
	"runtime"
	"testing"
)

func TestCall(t *testing.T) {
	places := make(map[uintptr]bool)
	frames := 0
	Call(60, func() {
		pcs := make([]uintptr, 100)
		for _, pc := range pcs[:runtime.Callers(2, pcs)] {
			if runtime.FuncForPC(pc-1).Name() == "gorefs/misc/bench/programs/deepstack.Call" {
				frames++
				places[pc] = true
			}
		}
	})
	// There is one frame more than the depth. The deepest frame calls f
	// from a place of its own.
	if frames != 61 || len(places) != 21 {
		t.Errorf("%d frames with %d return addresses, want 61 with 21", frames, len(places))
	}
}
