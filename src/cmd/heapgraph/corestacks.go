// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file prints which stacks of a core file could not be read.

package main

import (
	"cmd/heapgraph/internal/core"
	"fmt"
)

// stackWarnings returns a line for each reason for which stacks could not be
// read.
func stackWarnings(stats core.Stats) (lines []string) {
	if stats.Modules > 0 {
		lines = append(lines, fmt.Sprintf("the functions of %s are not known, because the file is missing or is another one", count(stats.Modules, "plugin")))
	}
	if stats.Lost > 0 {
		lines = append(lines, fmt.Sprintf("no thread of the core file is on a stack of %s that ran: the stacks are searched for words that may be pointers", count(stats.Lost, "goroutine")))
	}
	if stats.Cut > 0 {
		lines = append(lines, fmt.Sprintf("the stacks of %s could not be followed to their ends: the rest of them is searched for words that may be pointers", count(stats.Cut, "goroutine")))
	}
	return lines
}
