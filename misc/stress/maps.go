// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This worker has maps of several kinds that grow and shrink, and iterates over
// one of them.

package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
)

func mutateMaps(r *rand.Rand) func() {
	byNumber := map[int]*node{}
	byName := map[string]map[*node]struct{}{}
	byAny := map[any][4]any{}
	large := map[[200]byte][300]byte{}
	return func() {
		for range 100 {
			k := r.IntN(3000)
			byNumber[k] = newNode(r)
			delete(byNumber, r.IntN(3000))
			name := fmt.Sprint(r.IntN(100))
			if len(byName[name]) == 0 {
				byName[name] = map[*node]struct{}{}
			}
			byName[name][newNode(r)] = struct{}{}
			byAny[k] = [4]any{name, byNumber[k], k, &name}
			if r.IntN(20) == 0 {
				delete(byName, name)
			}
		}
		large[[200]byte{byte(r.Uint32())}] = [300]byte{}
		n := 0
		for k, v := range byNumber {
			v.alive()
			if n++; n > 200 {
				break
			}
			if r.IntN(10) == 0 {
				delete(byNumber, k)
			}
		}
		switch r.IntN(50) {
		case 0:
			byNumber = maps.Clone(byNumber)
		case 1:
			byNumber = map[int]*node{}
		case 2:
			clear(byAny)
		case 3:
			clear(large)
		}
	}
}
