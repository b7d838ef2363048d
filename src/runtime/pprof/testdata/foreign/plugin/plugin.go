// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Plugin has a large variable that is zero in the file.
package main

import "C"

var table [64 << 20]byte

// Touch makes the variable resident, and returns its size.
func Touch() int {
	for i := 0; i < len(table); i += 1 << 10 {
		table[i] = 1
	}
	return len(table)
}

func main() {}
