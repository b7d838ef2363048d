// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"

	vars "example.com/refs/vars.v1"
)

import "C"

//export CheckGlobals
func CheckGlobals() C.int {
	if err := vars.Check(); err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

func main() {}
