// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package runtime

import _ "unsafe" // for linkname

// outsideBubble runs f outside the synctest bubble of the goroutine, if it is
// in one. f uses the real clock, and goroutines and channels that it makes are
// not the bubble's. The bubble counts the goroutine as running while f runs, so
// its clock stands still. f must not use objects that belong to the bubble,
// such as its channels. Packages that take profiles call outsideBubble, because
// the time that a profile takes is not the bubble's.
//
//go:linkname outsideBubble
func outsideBubble(f func()) {
	gp := getg()
	bubble := gp.bubble
	if bubble == nil {
		f()
		return
	}
	timer := gp.timer // the timer of time.Sleep, which belongs to the bubble
	gp.bubble, gp.timer = nil, nil
	defer func() { gp.bubble, gp.timer = bubble, timer }()
	f()
}
