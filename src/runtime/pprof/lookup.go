// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pprof

// lookup returns the profile with the given name, or nil. Lookup itself returns
// the profiles that most programs ask for by a constant, and is inlined, so
// that a program with Lookup("goroutine") and no other call has no reference to
// the table of all profiles, and none of their writers. No program can replace
// these profiles.
func lookup(name string) *Profile {
	lockProfiles()
	defer unlockProfiles()
	return profiles.m[name]
}
