// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build !race && !msan && !asan && !(cgo && linux && (amd64 || arm64))

package mallocprofile

func init() {
	unavailable("available only on linux/amd64 and linux/arm64, with cgo")
}
