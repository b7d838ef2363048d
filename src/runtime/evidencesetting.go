// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package runtime

import _ "unsafe" // for linkname

// evidence_isSecureMode reports whether the process has more rights than the
// user who has started it, for example because its executable is setuid. Such a
// process must not write files where its environment says.
//
//go:linkname evidence_isSecureMode
func evidence_isSecureMode() bool { return isSecureMode() }
