// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build !memscope

package main

// With a toolchain that has no package runtime/memscope, the program runs
// without scopes, for comparison.

func plain(alloc func(n int)) func(n int)   { return alloc }
func scoped(alloc func(n int)) func(n int)  { return plain(alloc) }
func limited(alloc func(n int)) func(n int) { return plain(alloc) }
func counted(alloc func(n int)) func(n int) { return plain(alloc) }
func beside(alloc func(n int)) func(n int)  { return plain(alloc) }
