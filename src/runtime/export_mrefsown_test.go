// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Exports for mrefsown_test.go.

package runtime

// RefsOwnFunction reports whether a function is one of the program's own, for a
// program with the given modinfo.
func RefsOwnFunction(modinfo, function string) bool {
	own := refsOwnPackages(modinfo)
	return own.hasFunction(function)
}

// RefsIsOwn reports whether a package is one of the program's own, for a
// program with the given modinfo.
func RefsIsOwn(modinfo, pkg string) bool {
	own := refsOwnPackages(modinfo)
	return own.has(pkg)
}
