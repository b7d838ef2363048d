// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Package core makes a heap graph from a core file. It finds the runtime's
// structures by the core record that each program has
// (internal/profilerecord/core.go), and needs neither symbols nor DWARF. It
// then marks as a recording of references does, by the same rules
// (internal/runtime/refs), and writes the graph in the format in which
// runtime/pprof writes it (internal/heapgraph).
//
// Any part of a core file may be damaged. Addresses are checked before they are
// followed, and reading a list ends even if the list does not. Stats counts the
// spans, plugins and stacks that could not be read.
package core
