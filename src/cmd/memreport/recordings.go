// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// References are recorded at the beginning of the watch and at its end. If there
// is no recording at both, the heap profile has the call stacks that grow.

package main

// recording takes refs or, after a collection, heap. After the first recording
// it takes both, because the last one may be refused.
func (f *fetcher) recording(i int) {
	if f.has("refs") {
		f.add(numbered("refs", i), "refs")
	}
	switch {
	case !f.has("refs"):
		f.add(numbered("heap", i), "heap?gc=1")
	case i == 1:
		f.addIfAny(numbered("heap", i), "heap")
	}
}
