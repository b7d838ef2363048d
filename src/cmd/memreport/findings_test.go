// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import "testing"

// TestTies has findings of one size and one signature, as two lines of a function
// have.
func TestTies(t *testing.T) {
	for range 20 {
		f := atRest()
		f.Refs, f.SiteRate = nil, 512<<10
		f.growing(objects, 4*mb)
		for _, code := range []string{"main.f a/b.go:7", "main.f a/b.go:8", "main.f a/b.go:9"} {
			f.Sites = append(f.Sites, site{Code: code, Bytes: 10 * mb, NewBytes: 10 * mb})
		}
		all := find(f)
		if len(all) != 3 || all[0].Place != "main.f a/b.go:7" || all[1].Place != "main.f a/b.go:8" || all[2].Place != "main.f a/b.go:9" {
			t.Fatalf("%+v", all)
		}
	}
}
