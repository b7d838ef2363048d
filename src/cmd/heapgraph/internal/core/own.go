// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file determines which packages are the program's own.

package core

import "strings"

// ownPackages has the paths by which the program's own packages are recognized.
// These packages are package main, the packages of the main module, and the
// package with the path of the main package or, in a test, of the package under
// test. The packages below that path are the program's own, too.
type ownPackages struct{ module, main string }

// has reports whether a package is the program's own. pkg is the path of the
// package as the linker writes it, and a dot.
func (own *ownPackages) has(pkg string) bool {
	return pkg == "main." || isBelow(pkg, own.module) || isBelow(pkg, own.main)
}

// isBelow reports whether pkg is the package at a path, its external test, or a
// package below the path.
func isBelow(pkg, path string) bool {
	if path == "" {
		return false
	}
	rest, ok := strings.CutPrefix(strings.ReplaceAll(pkg, "%2e", "."), path)
	return ok && (rest == "." || rest == "_test." || strings.HasPrefix(rest, "/"))
}

// hasFunction reports whether the function with a name is in one of the
// program's own packages.
func (own *ownPackages) hasFunction(name string) bool {
	head := name
	if i := strings.IndexAny(head, "[("); i >= 0 {
		head = head[:i]
	}
	last := strings.LastIndexByte(head, '/') + 1
	dot := strings.IndexByte(head[last:], '.')
	return dot >= 0 && own.has(head[:last+dot+1])
}
