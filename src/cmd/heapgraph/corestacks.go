// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file has the messages about stacks of a core file that could not be
// read.

package main

import (
	"cmd/heapgraph/internal/core"
	"fmt"
)

// stackWarnings returns a line for each reason for which stacks could not be
// read.
func stackWarnings(stats core.Stats) (lines []string) {
	if stats.Modules > 0 {
		lines = append(lines, fmt.Sprintf("the functions of %s are not known, because a file is missing, cannot be read, or has been replaced", count(stats.Modules, "plugin")))
	}
	if stats.Lost > 0 {
		lines = append(lines, fmt.Sprintf("no thread of the core file is on the stacks of %s that ran: these stacks are searched for words that may be pointers", count(stats.Lost, "goroutine")))
	}
	if stats.Cut > 0 {
		lines = append(lines, fmt.Sprintf("the stacks of %s could not be followed to their ends: the rest of them is searched for words that may be pointers", count(stats.Cut, "goroutine")))
	}
	return lines
}
