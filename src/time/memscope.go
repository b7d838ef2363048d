// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Memory scopes of functions that timers start: such a function runs in the
// scope of the goroutine that called AfterFunc. See package runtime/memscope.

package time

import _ "unsafe" // for linkname

type memscope struct{}

//go:linkname memscopeCurrent runtime/memscope.runtime_current
func memscopeCurrent() *memscope

//go:linkname memscopeSet runtime/memscope.runtime_set
func memscopeSet(s *memscope, state uint8) (*memscope, uint8)

// inMemscope returns a function that runs f in the scope of the goroutine that
// calls inMemscope. It returns f itself if that goroutine is in no scope.
func inMemscope(f func()) func() {
	s := memscopeCurrent()
	if s == nil {
		return f
	}
	return func() {
		memscopeSet(s, 0)
		f()
	}
}
