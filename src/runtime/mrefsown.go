// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Which packages are the program's own (see refs.IsOwn).

package runtime

import "internal/runtime/refs"

// refsOwn says which packages are the program's own. refsAlloc sets it.
var refsOwn refsOwnPaths

// refsOwnPaths has the paths of the main module and the main package, as
// refs.OwnPaths returns them.
type refsOwnPaths struct{ module, main string }

// has reports whether the package of a global variable is the program's own.
// pkg is the path of the package as the linker writes it, and a dot.
//
//go:nowritebarrierrec
func (own *refsOwnPaths) has(pkg string) bool { return refs.IsOwn(pkg, own.module, own.main) }

// hasFunction reports whether the function with the given name is in one of the
// program's own packages.
//
//go:nowritebarrierrec
func (own *refsOwnPaths) hasFunction(name string) bool { return own.has(refs.PackageOf(name)) }
