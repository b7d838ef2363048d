// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build !unix

package runtime

// gsignalBounds returns the bounds of the signal stack that the runtime has
// allocated for mp, if it has allocated one. addThreadStacks calls it.
func gsignalBounds(mp *m) stack {
	if gp := mp.gsignal; gp != nil {
		return gp.stack
	}
	return stack{}
}
