// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The packages that are the program's own, whose variables are followed before those of
// others: package main and those of the main module, or of the package under test. What a
// program's own variable and a library's both hold, as caches and registries do, is the
// program's.

package runtime

import "internal/stringslite"

// refsOwn is the path of the main module, and the main package's, as the go command has
// noted them in the program, or "". In a test the latter is that of the package under test.
type refsOwn struct{ module, main string }

// refsOwnPackages returns what modinfo, which is in lines of fields, has.
func refsOwnPackages(modinfo string) (own refsOwn) {
	own.module = refsModuleField(modinfo, "mod\t")
	own.main = stringslite.TrimSuffix(refsModuleField(modinfo, "path\t"), ".test")
	return own
}

// refsModuleField returns the first field behind the name of a line.
func refsModuleField(modinfo, name string) string {
	const mark = 16 // bytes before the first line
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

// has reports whether the package of a global variable is the program's own. pkg is its
// path as the linker writes it, and a dot.
//
//go:nowritebarrierrec
func (own *refsOwn) has(pkg string) bool {
	return pkg == "main." || refsIsBelow(pkg, own.module) || refsIsBelow(pkg, own.main)
}

// hasFunction reports whether a function is of one of the program's own packages.
//
//go:nowritebarrierrec
func (own *refsOwn) hasFunction(name string) bool {
	end := 0 // of the package's path, behind the first dot that follows the last slash
	for i := 0; i < len(name) && name[i] != '[' && name[i] != '('; i++ {
		switch {
		case name[i] == '/':
			end = 0
		case name[i] == '.' && end == 0:
			end = i + 1
		}
	}
	return own.has(name[:end])
}

// refsIsBelow reports whether pkg is the package at a path, its external test, or one
// below it.
//
//go:nowritebarrierrec
func refsIsBelow(pkg, path string) bool {
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
