// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file determines which packages are the program's own (see refs.IsOwn).

package core

import "internal/runtime/refs"

// ownPackages has the paths of the main module and the main package, as
// refs.OwnPaths returns them.
type ownPackages struct{ module, main string }

// has reports whether a package is the program's own. pkg is the path of the
// package as the linker writes it, and a dot.
func (own *ownPackages) has(pkg string) bool { return refs.IsOwn(pkg, own.module, own.main) }

// hasFunction reports whether the function with a name is in one of the
// program's own packages.
func (own *ownPackages) hasFunction(name string) bool { return own.has(refs.PackageOf(name)) }
