// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Places in memory of chunks of words (mrefspage.go).

package runtime_test

import (
	. "runtime"
	"testing"
)

// TestRefsChunks checks that no two chunks of words have the same place.
func TestRefsChunks(t *testing.T) {
	const n = 10_000
	if places := RefsChunks(n); places != n {
		t.Errorf("%d chunks are at %d places", n, places)
	}
}
