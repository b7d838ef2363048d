// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file has the bounds of the parameter seconds.

package pprof

import (
	"math"
	"time"
)

// isDuration reports whether a number of seconds is positive and fits a
// [time.Duration]. A larger one would be a wait of no time.
func isDuration(sec int64) bool { return 0 < sec && sec <= math.MaxInt64/int64(time.Second) }
