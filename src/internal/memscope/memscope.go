// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package memscope lets the standard library say for whose work its goroutines
// allocate: see package runtime/memscope.
//
// A goroutine that serves many callers, such as the reader of a connection that
// will be reused, calls Leave when it begins. Otherwise it would count for the
// caller that happened to start it. While it works for one caller, it may Enter
// that caller's scope. doc/design/memscope.md has a table of the goroutines of
// the library.
package memscope

import _ "unsafe" // for linkname

// A Scope is a scope of package runtime/memscope.
type Scope struct{}

// Current returns the scope of the calling goroutine, or nil if there is none.
//
//go:linkname Current runtime.memscopeCurrent
func Current() *Scope

// Enter puts the calling goroutine into s, or out of any scope if s is nil. It
// returns the scope that the goroutine was in before.
//
//go:linkname Enter runtime.memscopeSet
func Enter(s *Scope) (outer *Scope)

// Used reports whether the program imports package runtime/memscope.
//
//go:linkname Used runtime.memscopeUsed
func Used() bool

// Leave takes the calling goroutine out of any scope.
func Leave() { Enter(nil) }

// Bind returns a function that runs f in the scope of the goroutine that calls
// Bind, on a goroutine that has no scope. It returns f itself if there is none.
func Bind(f func()) func() {
	s := Current()
	if s == nil {
		return f
	}
	return func() {
		Enter(s)
		f()
	}
}
