// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file finds the functions of the program: those that are not in the
// standard library, and those of main packages and external tests in it. When a
// memory scope exceeds its limit, the runtime makes a goroutine panic only
// where a function of the program calls another function, or where the library
// calls a function of the program (see runtime/memscopepanic.go).
//
// A function belongs to the package in its name, even if the object file of
// another package has the function: an instance of a generic function belongs
// to the package that declares the function. Functions that the compiler makes
// for hashes and comparisons belong to no package.
//
// writeFuncs (pcln.go) calls programFuncs when it writes the function table.

package ld

import (
	"internal/abi"
	"strings"
)

// programFuncs knows which functions belong to the program.
type programFuncs struct {
	std map[string]bool // paths of the packages of the standard library
}

// programFuncs returns the programFuncs of the program that is linked. If
// package runtime is in a shared library, so is the rest of the standard
// library, and the linker has no objects of these packages. Because the program
// can have instances of their generic functions, all packages of that shared
// library are then taken to be standard.
func (ctxt *Link) programFuncs() programFuncs {
	std := ctxt.loader.StdPackages()
	if runtime := ctxt.LibraryByPkg["runtime"]; runtime != nil && runtime.Shlib != "" {
		for _, lib := range ctxt.Library {
			if lib.Shlib == runtime.Shlib {
				std[lib.Pkg] = true
			}
		}
	}
	return programFuncs{std: std}
}

// flag returns abi.FuncFlagProgram if the function with the given name belongs
// to the program, and 0 if it does not. Main packages and external tests belong
// to the program even if they are in the standard library.
func (p programFuncs) flag(name string) abi.FuncFlag {
	pkg := packageOfFunc(name)
	if pkg == "" || p.std[pkg] && pkg != "main" && !strings.HasSuffix(pkg, "_test") {
		return 0
	}
	return abi.FuncFlagProgram
}

// packageOfFunc returns the package of the function with the given name, or ""
// if the function belongs to none.
func packageOfFunc(name string) string {
	name, _, _ = strings.Cut(name, "[")
	slash := strings.LastIndexByte(name, '/') + 1
	dot := strings.IndexByte(name[slash:], '.')
	if dot < 0 || strings.Contains(name[:slash+dot], ":") {
		return ""
	}
	return name[:slash+dot]
}
