// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package sync

import "unsafe"

// poolsMove is set while a recording of references marks.
//
//go:linkname poolsMove runtime.refsPoolsMove
var poolsMove bool

// runtime_poolMoved tells the recording that x enters or leaves the pool whose
// field local is given. Put and Get call it while they are pinned. They test
// poolsMove themselves, because an inlined call would take one more instruction.
func runtime_poolMoved(local *unsafe.Pointer, x any)
