// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package buildcfg

import "strings"

// fork begins the part of the version that a release of Go does not have.
const fork = "-refs-"

// ReleaseFirst returns a version of this toolchain with the release as its
// first word, because programs that look for the release's vulnerabilities
// read no further. For example, go1.27.4-refs-5dcfd7b6 X:arenas becomes
// go1.27.4 X:refs-5dcfd7b6,arenas. Other versions are returned as they are.
//
// The go command prints this form as GOVERSION, and the linker writes it into
// the build information of executables.
func ReleaseFirst(version string) string {
	release, rest, ok := strings.Cut(version, fork)
	if !ok {
		return version
	}
	return release + " X:refs-" + strings.Replace(rest, " X:", ",", 1)
}
