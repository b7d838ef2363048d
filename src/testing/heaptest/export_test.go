// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package heaptest

import "time"

// SetPatience sets patience, and returns the previous value.
func SetPatience(d time.Duration) (was time.Duration) {
	was, patience = patience, d
	return was
}
