// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package runtime_test

import (
	. "runtime"
	"slices"
	"testing"
)

// TestMemscopeHurry checks that sysmon does not stay at its shortest sleep if a
// goroutine is to panic and never can. It also checks that, after a round
// without such a goroutine, sysmon asks the next one in as many rounds at its
// shortest sleep as the first one.
func TestMemscopeHurry(t *testing.T) {
	const n = MemscopeHurry
	asked := slices.Concat(slices.Repeat([]bool{true}, 3*n), []bool{false}, slices.Repeat([]bool{true}, 2*n), []bool{false, false, true})
	want := slices.Concat(slices.Repeat([]bool{true}, n), slices.Repeat([]bool{false}, 2*n), []bool{false},
		slices.Repeat([]bool{true}, n), slices.Repeat([]bool{false}, n), []bool{false, false, true})
	if got := MemscopeHurried(asked); !slices.Equal(got, want) {
		t.Errorf("after %v\nhurries %v\nwant    %v", asked, got, want)
	}
}
