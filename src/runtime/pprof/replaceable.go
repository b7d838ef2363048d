// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Names of profiles that programs may have had first.

package pprof

// replaceable reports whether NewProfile may make a profile of p's name. Those of the
// profiles that Go's release does not have can be taken: a program that has a profile
// "memory" of its own keeps it.
func (p *Profile) replaceable() bool {
	switch p.name {
	case "goroutine", "goroutineleak", "threadcreate", "heap", "allocs", "block", "mutex":
		return false
	}
	return p.count != nil
}
