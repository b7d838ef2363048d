// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The core record (runtime/corerecord.go). Only readers of core files use it,
// and no code refers to it. Therefore it is one of the symbols with which
// deadcode begins, like the program's entry. It refers to variables of the
// runtime that are in all programs anyway, and to runtime.coreGlobalsTable. If
// there is a table of globals, the function refsGlobalsTable of this package
// makes runtime.coreGlobalsTable point to the table.

package ld

const coreRecord = "runtime.coreRecord"
