// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package runtime_test

import (
	. "runtime"
	"testing"
)

// TestRefsVarCache compares decoded variables with the compiler's entries, for
// functions of this program. It also checks that entries are read only once,
// even if many words are looked up.
func TestRefsVarCache(t *testing.T) {
	functions := 1 << 30
	if testing.Short() {
		functions = 3000
	}
	words, differ, again := RefsVarCacheCheck(functions)
	if words == 0 || differ != 0 {
		t.Errorf("of %d words %d have another variable", words, differ)
	}
	if again != 0 {
		t.Errorf("%d entries were read once more", again)
	}
	t.Logf("%d words", words)
}
