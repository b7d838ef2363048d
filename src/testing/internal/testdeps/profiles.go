// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package testdeps

import (
	"io"
	_ "unsafe" // for linkname
)

// writeProfile is defined in runtime/pprof/testbinary.go.
//
//go:linkname writeProfile runtime/pprof.writeForTest
func writeProfile(name string, w io.Writer) error
