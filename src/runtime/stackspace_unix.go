// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build unix

package runtime

// gsignalBounds returns the bounds of the signal stack that the runtime has
// allocated for mp. If mp's thread came from C with a signal stack of its own,
// gsignal has the bounds of that stack, and goSigStack has those of the
// runtime's stack. addThreadStacks calls gsignalBounds.
func gsignalBounds(mp *m) stack {
	if stk := mp.goSigStack.stack; stk.hi != 0 {
		return stk
	}
	if gp := mp.gsignal; gp != nil {
		return gp.stack
	}
	return stack{}
}
