// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package heapgraph

// SetLimitFloor sets the limit of small files, and returns a function that sets
// the former one.
func SetLimitFloor(n int64) (reset func()) {
	old := limitFloor
	limitFloor = n
	return func() { limitFloor = old }
}
