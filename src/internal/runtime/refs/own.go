// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The program's own packages.
//
// If both a variable of the program's own packages and a library's cache or
// registry hold an object, the object belongs to the program. Therefore stages
// follow the variables and frames of these packages first. They are package
// main, and the packages whose paths are at or below the path of the main
// module, of the main package or, in a test, of the package under test. The
// external tests of these packages are the program's own, too.

package refs

import "internal/stringslite"

// OwnPaths returns the paths of the main module and of the main package or, in
// a test, of the package under test. A path that is not known is "". modinfo is
// what the go command has recorded in the program.
func OwnPaths(modinfo string) (module, main string) {
	return ModuleField(modinfo, "mod\t"), stringslite.TrimSuffix(ModuleField(modinfo, "path\t"), ".test")
}

// ModuleField returns the field that follows name in the first line of modinfo
// that begins with name, or "" if there is no such line. Each line has fields,
// separated by tabs. name ends with a tab.
func ModuleField(modinfo, name string) string {
	const mark = 16 // number of bytes before the first line
	for modinfo = modinfo[min(mark, len(modinfo)):]; modinfo != ""; {
		var line string
		line, modinfo, _ = stringslite.Cut(modinfo, "\n")
		if field, ok := stringslite.CutPrefix(line, name); ok {
			field, _, _ = stringslite.Cut(field, "\t")
			return field
		}
	}
	return ""
}

// IsOwn reports whether a package is the program's own. pkg is the path of the
// package as the linker writes it, and a dot. module and main are as OwnPaths
// returns them.
func IsOwn(pkg, module, main string) bool {
	return pkg == "main." || isBelow(pkg, module) || isBelow(pkg, main)
}

// PackageOf returns the path of the package of a function as the linker writes
// it, and a dot. If the function is in no package, it returns "" or what is the
// path of no package.
func PackageOf(function string) string {
	end := 0 // end of the package's path, including the first dot after the last slash
	for i := 0; i < len(function) && function[i] != '[' && function[i] != '('; i++ {
		switch {
		case function[i] == '/':
			end = 0
		case function[i] == '.' && end == 0:
			end = i + 1
		}
	}
	return function[:end]
}

// isBelow reports whether pkg, a path with a dot, is the package at a path, its
// external test, or a package below the path.
func isBelow(pkg, path string) bool {
	if path == "" {
		return false
	}
	for path != "" {
		switch {
		case pkg == "":
			return false
		case pkg[0] == path[0]:
			pkg = pkg[1:]
		case path[0] == '.' && stringslite.HasPrefix(pkg, "%2e"):
			pkg = pkg[len("%2e"):]
		default:
			return false
		}
		path = path[1:]
	}
	return pkg == "." || pkg == "_test." || stringslite.HasPrefix(pkg, "/")
}
