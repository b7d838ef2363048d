// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// References are recorded at the beginning of the watch and at its end. If there
// is no recording at both, the heap profile has the call stacks that grow.

package main

// recording takes refs or, after a collection, heap. After the first recording
// it takes both, because the last one may be refused. It returns an error if
// another process has answered.
func (f *fetcher) recording(i int) error {
	if f.has("refs") {
		f.add(numbered("refs", i), "refs")
	}
	if first, last := f.take.profile("refs.1.pb.gz"), f.take.profile("refs.2.pb.gz"); last != nil && cycle(last) < cycle(first) {
		delete(f.take.files, "refs.2.pb.gz")
		return errOtherProcess
	}
	switch {
	case !f.has("refs"):
		f.add(numbered("heap", i), "heap?gc=1")
	case i == 1:
		f.addIfAny(numbered("heap", i), "heap")
	}
	return nil
}
