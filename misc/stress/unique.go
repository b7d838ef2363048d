// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This worker makes unique handles of strings and structs, and drops them.

package main

import (
	"fmt"
	"math/rand/v2"
	"unique"
)

type address struct {
	name string
	port int
}

func canonicalize(r *rand.Rand) func() {
	names := make([]unique.Handle[string], 200)
	addresses := make([]unique.Handle[address], 200)
	return func() {
		for range 50 {
			s := fmt.Sprint("host", r.IntN(1000))
			h := unique.Make(s)
			must(h.Value() == s, "%q became %q", s, h.Value())
			names[r.IntN(len(names))] = h
			a := address{s, r.IntN(10)}
			g := unique.Make(a)
			must(g == unique.Make(address{s, a.port}), "two handles of %v", a)
			addresses[r.IntN(len(addresses))] = g
		}
	}
}
