// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Command vet vets packages for another platform, with those of vet's checks
// that may find something else there. It reads all packages from source, because
// go vet compiles them, for the tests of each package anew.
//
// It is run in goroot/src, and the go command in PATH must be goroot's: see
// vet_source in run.bash.
package main

import (
	"golang.org/x/tools/go/analysis/multichecker"
	"golang.org/x/tools/go/analysis/passes/asmdecl"
	"golang.org/x/tools/go/analysis/passes/buildtag"
	"golang.org/x/tools/go/analysis/passes/copylock"
	"golang.org/x/tools/go/analysis/passes/framepointer"
	"golang.org/x/tools/go/analysis/passes/printf"
	"golang.org/x/tools/go/analysis/passes/shift"
	"golang.org/x/tools/go/analysis/passes/tests"
)

func main() {
	multichecker.Main(
		asmdecl.Analyzer,
		buildtag.Analyzer,
		copylock.Analyzer,
		framepointer.Analyzer,
		printf.Analyzer, // its facts need all packages from source
		shift.Analyzer,
		tests.Analyzer,
	)
}
