// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package runtime_test

import (
	. "runtime"
	"testing"
)

// TestRefsAlone checks which workers may mark: one until it has done its part,
// and then all.
func TestRefsAlone(t *testing.T) {
	var a RefsAlone
	check := func(when string, alone, ok bool, credit int64, assists bool) {
		t.Helper()
		if gotAlone, gotOK := a.Take(); gotAlone != alone || gotOK != ok {
			t.Errorf("%s: take returned %t, %t, want %t, %t", when, gotAlone, gotOK, alone, ok)
		}
		if done, ok := a.Lets(100); done != credit || ok != assists {
			t.Errorf("%s: lets returned %d, %t, want %d, %t", when, done, ok, credit, assists)
		}
	}
	check("at first", false, true, 0, true)
	a.Want()
	check("when a stage begins", true, true, 100, false)
	check("beside the first worker", false, false, 100, false)
	if done, ok := a.Lets(RefsAloneWork); done != 0 || ok {
		t.Errorf("assists got credit for %d bytes more than the worker marks alone", done)
	}
	if !a.Did(RefsAloneWork - 1) {
		t.Error("the worker is not alone before it has done its part")
	}
	check("before its part is done", false, false, 0, false)
	if a.Did(1) {
		t.Error("the worker is alone when it has done its part")
	}
	check("when its part is done", false, true, 0, true)
	a.Want()
	check("in the next stage", true, true, 100, false)
	a.HandOver(1)
	check("when it has handed over and nothing is left", false, true, 0, true)
}
