// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import "os"

// oneRound reports whether toolchain1 builds the tools that are installed. The
// environment variable GO_DISTROUNDS=1 asks for this, because it halves the
// time of a build. The tools are the same, byte for byte, if toolchain1
// generates the code that its sources say, as toolchain2 and toolchain3 would.
func oneRound() bool { return os.Getenv("GO_DISTROUNDS") == "1" }

// secondRound returns the commands of toolchain2. Building the compiler for the
// installation takes preprofile.
func secondRound() []string {
	if oneRound() {
		return []string{"cmd/preprofile"}
	}
	return toolchain
}

// thirdRound builds toolchain3, if there is one.
func thirdRound(goBootstrap string) {
	if oneRound() {
		return
	}
	xprintf("Building Go toolchain3 using Go toolchain2.\n")
	goInstall(toolenv(), goBootstrap, append([]string{"-a"}, toolchain...)...)
}

// useUsersCache has std and the tools built into the user's build cache, so that
// the user's first build does not compile std again. With one round that is safe,
// because the version in the cache's keys names the sources of the tools.
func useUsersCache() {
	if oneRound() && oldgocache != "" {
		os.Setenv("GOCACHE", oldgocache)
	}
}
