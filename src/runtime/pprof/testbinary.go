// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The profiles for which package testing has flags, such as -memprofile. A test
// binary gets them here and not from Lookup, because Lookup refers to the
// writers of all profiles: a test that takes no profile itself links only these.

package pprof

import (
	"errors"
	"io"
	_ "unsafe" // for linkname
)

// writeForTest writes a profile as a protocol buffer, or a heap graph. Package
// testing/internal/testdeps calls it.
//
//go:linkname writeForTest
func writeForTest(name string, w io.Writer) error {
	switch name {
	case "allocs":
		return writeAlloc(w, 0)
	case "block":
		return writeBlock(w, 0)
	case "mutex":
		return writeMutex(w, 0)
	case "refs":
		return writeRefsWith(w, writeRefsProto)
	case "inuse":
		return writeInuseWith(w, writeInuseProto)
	case "heapgraph":
		_, err := new(HeapGraph).Write(w)
		return err
	}
	return errors.New("runtime/pprof: package testing has no flag for the profile " + name)
}
