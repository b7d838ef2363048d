// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This worker allocates tiny objects, which share blocks with other tiny
// objects, and objects without pointers of up to 10,000 bytes.

package main

import (
	"math/rand/v2"
	"strconv"
)

func allocateTiny(r *rand.Rand) func() {
	texts := make([]*string, 500)
	bytes := make([]*byte, 500)
	kept := make([][]byte, 100)
	return func() {
		for range 500 {
			i := r.IntN(len(texts))
			if texts[i] != nil {
				n, err := strconv.Atoi(*texts[i])
				check(err)
				must(byte(n) == *bytes[i], "tiny objects %q and %d", *texts[i], *bytes[i])
			}
			n := r.IntN(1 << 20)
			s, b := strconv.Itoa(n), byte(n)
			texts[i], bytes[i] = &s, &b
		}
		for range 20 {
			kept[r.IntN(len(kept))] = make([]byte, 1+r.IntN(10_000))
		}
	}
}
