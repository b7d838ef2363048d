// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build !unix

package runtime

// gsignalBounds returns the signal stack that the runtime allocated for mp.
func gsignalBounds(mp *m) stack {
	if mp.gsignal == nil {
		return stack{}
	}
	return mp.gsignal.stack
}
