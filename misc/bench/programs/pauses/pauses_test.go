// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pauses

import (
	"math"
	"runtime/metrics"
	"testing"
)

func TestSum(t *testing.T) {
	histogram := &metrics.Float64Histogram{
		Counts:  []uint64{1, 5, 4, 2},
		Buckets: []float64{math.Inf(-1), 0, 2, 4, math.Inf(1)},
	}
	got := sum([]uint64{0, 5, 1, 1}, histogram)
	if want := 1*0.0 + 0*1.0 + 3*3.0 + 1*4.0; got != want {
		t.Errorf("sum = %v, want %v", got, want)
	}
}
