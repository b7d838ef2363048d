// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file writes profiles of sampled memory as text, in a form that readers
// of the heap profile's text can read.

package pprof

import (
	"fmt"
	"io"
)

// printSampledTotal prints the first line of a text that readers take for a
// heap profile. It prints the objects and bytes twice: in the places where the
// heap profile has the live ones and the allocated ones. It prints twice the
// rate, because readers halve it.
func printSampledTotal(w io.Writer, objects, bytes, rate int64) {
	fmt.Fprintf(w, "heap profile: %d: %d [%[1]d: %[2]d] @ heap/%d\n", objects, bytes, 2*rate)
}

// printSampled prints the line of such a text for the objects of one call
// stack.
func printSampled(w io.Writer, objects, bytes int64, stack []uintptr) {
	fmt.Fprintf(w, "%d: %d [%[1]d: %[2]d]", objects, bytes)
	printAddresses(w, stack)
}

// printAddresses prints the addresses of a call stack and ends the line.
func printAddresses(w io.Writer, stack []uintptr) {
	fmt.Fprint(w, " @")
	for _, pc := range stack {
		fmt.Fprintf(w, " %#x", pc)
	}
	fmt.Fprintln(w)
}
