// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Functions of the program: which are not of the standard library, for the runtime, that
// makes a goroutine panic only where such a function calls another (see
// runtime/memscopepanic.go). A function belongs to the package that its name tells, not to
// the one whose object has it: instances of generic functions are of the package that
// declares them. The compiler's own functions, of hashes and comparisons, are nobody's.
// Called when the function table is written.

package ld

import (
	"internal/abi"
	"strings"
)

// programFuncs tells functions of the program from others.
type programFuncs struct {
	std map[string]bool // packages
}

func (ctxt *Link) programFuncs() programFuncs {
	return programFuncs{std: ctxt.loader.StdPackages()}
}

// flag returns abi.FuncFlagProgram if the function with that name is of the program. Main
// packages and external tests are so even in the standard library.
func (p programFuncs) flag(name string) abi.FuncFlag {
	pkg := packageOfFunc(name)
	if pkg == "" || p.std[pkg] && pkg != "main" && !strings.HasSuffix(pkg, "_test") {
		return 0
	}
	return abi.FuncFlagProgram
}

// packageOfFunc returns the package of the function with that name, or "" if it has none.
func packageOfFunc(name string) string {
	name, _, _ = strings.Cut(name, "[")
	slash := strings.LastIndexByte(name, '/') + 1
	dot := strings.IndexByte(name[slash:], '.')
	if dot < 0 || strings.Contains(name[:slash+dot], ":") {
		return ""
	}
	return name[:slash+dot]
}
