// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package deepstack makes deep stacks whose frames return to many different
// places. With few places, the cost of a walk of the stack would depend on
// chance. Each thread has a small cache of results by return address, and the
// runtime puts each result at a random place in the cache. If all addresses
// fit, each result is put there only once. With many addresses, results are put
// there again and again, and the random effects within one process average out.
package deepstack

// Call calls f below depth+1 frames of its own. All of them except the
// innermost have a live pointer.
//
//go:noinline
func Call(depth int, f func()) {
	if depth == 0 {
		f()
		return
	}
	switch depth % 20 {
	case 0:
		Call(depth-1, f)
	case 1:
		Call(depth-1, f)
	case 2:
		Call(depth-1, f)
	case 3:
		Call(depth-1, f)
	case 4:
		Call(depth-1, f)
	case 5:
		Call(depth-1, f)
	case 6:
		Call(depth-1, f)
	case 7:
		Call(depth-1, f)
	case 8:
		Call(depth-1, f)
	case 9:
		Call(depth-1, f)
	case 10:
		Call(depth-1, f)
	case 11:
		Call(depth-1, f)
	case 12:
		Call(depth-1, f)
	case 13:
		Call(depth-1, f)
	case 14:
		Call(depth-1, f)
	case 15:
		Call(depth-1, f)
	case 16:
		Call(depth-1, f)
	case 17:
		Call(depth-1, f)
	case 18:
		Call(depth-1, f)
	case 19:
		Call(depth-1, f)
	}
	keep = f
}

// keep makes Call use f after its calls, so that f is live during them.
var keep func()
