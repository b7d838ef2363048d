// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build cgo

package runtime_test

import (
	"internal/testenv"
	"testing"
)

// TestRefsCallback takes a refs profile while a goroutine is in a callback from
// C.
func TestRefsCallback(t *testing.T) {
	testenv.MustHaveCGO(t)
	t.Parallel()
	if got := runTestProg(t, "testprogcgo", "RefsCallback"); got != "OK\n" {
		t.Errorf("got %s", got)
	}
}
