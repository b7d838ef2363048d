// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build race || msan || asan

package mallocprofile

import "os"

// init says at once that nothing is sampled, because a sanitizer has an
// allocator of its own, or checks who allocated.
func init() {
	const why = "not available with -race, -msan and -asan"
	os.Stderr.WriteString("runtime/cgo/mallocprofile: " + why + "\n")
	unavailable(why)
}
