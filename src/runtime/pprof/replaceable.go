// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file decides which names of predefined profiles a program may use for
// its own.

package pprof

// replaceable reports whether NewProfile may make another profile of p's name.
// It may do so for the profiles that Go's release does not have, so that a
// program can still have a profile of its own that is named "memory", for
// example.
func (p *Profile) replaceable() bool {
	switch p.name {
	case "goroutine", "goroutineleak", "threadcreate", "heap", "allocs", "block", "mutex":
		return false
	}
	return p.count != nil
}
