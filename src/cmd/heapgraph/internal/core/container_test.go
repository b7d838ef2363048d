// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package core

import "testing"

// TestMapLayoutMistaken has layouts that no map has, as a mistaken type may
// have. Whatever they are, an offset in a group has an answer.
func TestMapLayoutMistaken(t *testing.T) {
	words := []uint64{0, 1, wordSize, 100, ^uint64(0)}
	for n := range len(words) * len(words) * len(words) * len(words) * len(words) {
		word := func() uint64 {
			w := words[n%len(words)]
			n /= len(words)
			return w
		}
		l := mapLayout{keys: word(), keyStride: word(), elems: word(), elemStride: word()}
		off := word()
		if _, in := l.offset(off); in > off {
			t.Errorf("offset %d in %+v: at %d", off, l, in)
		}
	}
}
