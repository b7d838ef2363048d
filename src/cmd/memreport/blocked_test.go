// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import "testing"

func TestFindBlocked(t *testing.T) {
	wait := func(state string, c []int64) func(*facts) {
		return func(f *facts) {
			f.Places = []place{{Code: "main.put a/b.go:3", State: state, Start: "main.serve", Counts: c}}
		}
	}
	sometimes := counts(300, 0)
	sometimes[5] = blockedLeast - 1
	testFindings(t, findBlocked, []findingTest{
		{"send", wait("send", counts(300, 0)), []string{"main.put a/b.go:3"}},
		{"lock", wait("lock", counts(300, 0)), []string{"main.put a/b.go:3"}},
		{"idle workers", wait("", counts(300, 0)), nil},
		{"connections", wait("io", counts(3000, 0)), nil},
		{"not at every moment", wait("lock", sometimes), nil},
		{"too small", func(f *facts) {
			wait("send", counts(blockedLeast, 0))(f)
			f.Moments[spaced].Classes[resident] = 1000 * mb
		}, nil},
	})
}
