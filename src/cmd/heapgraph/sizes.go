// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file writes sizes, shares and differences as text.

package main

import (
	"debug/heapgraph"
	"fmt"
	"strconv"
)

// formatSize returns a size in the largest of pprof's units up to TB in which
// its value is at least 1.
func formatSize(n int64) string {
	if n < 0 {
		return "-" + formatSize(-n)
	}
	if n < 1<<10 {
		return strconv.FormatInt(n, 10) + "B"
	}
	f, unit := float64(n)/(1<<10), 0
	for f >= 1<<10 && unit < 3 {
		f /= 1 << 10
		unit++
	}
	return fmt.Sprintf("%.2f%s", f, [...]string{"kB", "MB", "GB", "TB"}[unit])
}

// size returns a size as the flags say.
func (t *task) size(n int64) string {
	if t.bytes {
		return strconv.FormatInt(n, 10)
	}
	return formatSize(n)
}

// change returns a difference of sizes, with its sign.
func (t *task) change(n int64) string {
	if n > 0 {
		return "+" + t.size(n)
	}
	return t.size(n)
}

// share returns n bytes as a share of the live heap.
func (s *snapshot) share(n int64) string {
	return fmt.Sprintf("%.1f%%", s.percent(n))
}

// amount returns objects and their share of the live heap as text.
func (s *snapshot) amount(a heapgraph.Amount) string {
	return fmt.Sprintf("%s (%s) in %s", s.t.size(a.Bytes), s.share(a.Bytes), count(a.Objects, "object"))
}

// count returns a number and the noun for the things that are counted.
func count(n int64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func (s *snapshot) percent(n int64) float64 {
	if s.live.Bytes == 0 {
		return 0
	}
	return 100 * float64(n) / float64(s.live.Bytes)
}
