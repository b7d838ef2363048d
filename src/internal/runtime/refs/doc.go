// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package refs is the policy of a recording of references: which roots come
// first, which reference claims an object, and by which path an object is
// named.
//
// A process records while it marks (runtime/mrefs*.go), and a core file is
// marked after its process has died (cmd/heapgraph/internal/core). Both follow
// the rules of this package, so one heap has one set of paths. For example, a
// closure in a global variable does not own what it captures: Borrows says so,
// for both.
//
// The runtime calls this package while it marks. Therefore the package has no
// variables, and takes memory only from its user (Memory). Addresses are of type
// uintptr, and no record has pointers, because the compiler does not check for
// write barriers across packages (//go:nowritebarrierrec).
package refs
