// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pprof

import (
	"time"
	_ "unsafe" // for linkname
)

// realTime returns the time, also in a bubble of testing/synctest.
func realTime() (now time.Time) {
	outsideBubble(func() { now = time.Now() })
	return now
}

// The function is defined in runtime/outsidebubble.go.
//
//go:linkname outsideBubble runtime.outsideBubble
func outsideBubble(f func())
