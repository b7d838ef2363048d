// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ld

import "slices"

// sampleReaders has the functions, besides runtime.memProfileInternal, for
// which the samples of the heap profile are taken.
var sampleReaders = []string{"runtime.memscopeLiveUsage"}

// readsHeapSamples reports whether the program has one of sampleReaders. The heap
// profile is sampled in such a program, even if nothing in the program can request
// it.
func (ctxt *Link) readsHeapSamples() bool {
	return slices.ContainsFunc(sampleReaders, func(name string) bool {
		s := ctxt.loader.Lookup(name, abiInternalVer)
		return s != 0 && ctxt.loader.AttrReachable(s)
	})
}
