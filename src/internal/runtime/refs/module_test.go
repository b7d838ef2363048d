// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package refs_test

import (
	"internal/goarch"
	. "internal/runtime/refs"
	"testing"
)

// TestModuleBlock checks the size of blocks.
func TestModuleBlock(t *testing.T) {
	const word = goarch.PtrSize
	for _, test := range []struct {
		size    uintptr
		modules int
		want    uintptr
	}{
		{0, 1, word},
		{1 << 10 * word, 1, word},
		{1<<10*word + 1, 1, 2 * word},
		{1 << 20 * word, 1, 1 << 10 * word},
		{1 << 10 * word, 8, word},
		{1 << 10 * word, 16, 2 * word},
		{1 << 10 * word, 1000, 64 * word},
	} {
		if got := ModuleBlock(test.size, test.modules); got != test.want {
			t.Errorf("ModuleBlock(%d, %d) is %d, want %d", test.size, test.modules, got, test.want)
		}
	}
}
