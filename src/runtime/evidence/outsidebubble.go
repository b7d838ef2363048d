// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package evidence

import _ "unsafe" // for linkname

// The function is defined in runtime/outsidebubble.go.
//
//go:linkname outsideBubble runtime.outsideBubble
func outsideBubble(f func())
