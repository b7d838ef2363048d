// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Profiles of memory as text that readers of the heap profile's text read.

package pprof

import (
	"fmt"
	"io"
)

// printSampledTotal prints the first line of a text that is one of a heap profile to its
// readers, with what is alive in the place of what was allocated as well. For them the rate
// is twice as large.
func printSampledTotal(w io.Writer, objects, bytes, rate int64) {
	fmt.Fprintf(w, "heap profile: %d: %d [%[1]d: %[2]d] @ heap/%d\n", objects, bytes, 2*rate)
}

// printSampled prints a line of such a text, of the objects of one call stack.
func printSampled(w io.Writer, objects, bytes int64, stack []uintptr) {
	fmt.Fprintf(w, "%d: %d [%[1]d: %[2]d]", objects, bytes)
	printAddresses(w, stack)
}

// printAddresses prints the end of a line about a call stack.
func printAddresses(w io.Writer, stack []uintptr) {
	fmt.Fprint(w, " @")
	for _, pc := range stack {
		fmt.Fprintf(w, " %#x", pc)
	}
	fmt.Fprintln(w)
}
