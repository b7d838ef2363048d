// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Hello does nothing, and prints the memory that the runtime holds in a program
// without work.
package main

import (
	"fmt"
	"runtime/metrics"
)

func main() {
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}}
	metrics.Read(sample)
	fmt.Println(sample[0].Value.Uint64(), "runtime-bytes")
}
