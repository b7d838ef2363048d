// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package sync

import "unsafe"

// poolsMove is set while a recording of references marks.
//
//go:linkname poolsMove runtime.refsPoolsMove
var poolsMove bool

// moved tells a recording that x enters or leaves p, because x would otherwise
// be found where it happens to be. Put and Get call it while they are pinned.
func (p *Pool) moved(x any) {
	if poolsMove {
		runtime_poolMoved(&p.local, x)
	}
}

func runtime_poolMoved(local *unsafe.Pointer, x any)
