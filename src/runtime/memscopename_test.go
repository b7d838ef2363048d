// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package runtime_test

import (
	"context"
	. "runtime"
	"runtime/memscope"
	"slices"
	"testing"
)

// TestMemscopeCounted takes a goroutine profile that counts more goroutines
// than it has room for, as can happen while threads of C call Go.
func TestMemscopeCounted(t *testing.T) {
	err := memscope.Run(context.Background(), memscope.Limits{Name: "counted"}, func(context.Context) error {
		for _, more := range []int{0, 1, 1000} {
			if got, want := MemscopeProfileLabels(1000, more), []string{"memscope=counted"}; !slices.Equal(got, want) {
				t.Errorf("%d goroutines more: labels %q, want %q", more, got, want)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
