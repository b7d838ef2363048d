// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"os"

	vars "example.com/refs/vars.v1"
)

func main() {
	if err := vars.Check(); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}
