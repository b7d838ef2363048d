// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pprof

import (
	"internal/profile"
	"slices"
	"strconv"
)

func number(s string) int64 {
	n, _ := strconv.ParseInt(s, 10, 64)
	return n
}

// framesOf returns the names of a sample's frames, root first.
func framesOf(s *profile.Sample) (names []string) {
	for _, l := range slices.Backward(s.Location) {
		names = locationToStrings(l, names)
	}
	return names
}
