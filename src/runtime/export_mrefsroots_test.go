// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Exports for mrefsoldest_test.go.

package runtime

// RefsOldest returns the indices in goids of the oldest goroutines, in the
// order in which their stacks are followed.
func RefsOldest(goids []uint64) (places []int) {
	var o refsOldest
	for i, id := range goids {
		o.insert(refsAge{id, uint32(i)})
	}
	for _, a := range o.roots[:o.n] {
		places = append(places, int(a.root))
	}
	return places
}
