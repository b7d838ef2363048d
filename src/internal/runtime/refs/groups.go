// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package refs

import "internal/abi"

// GroupsOf returns the layout of the groups of t, which may be any memory.
func GroupsOf(t *abi.MapType) Groups {
	return Groups{Size: t.GroupSize, Keys: t.KeysOff, KeyStride: t.KeyStride, Elems: t.ElemsOff, ElemStride: t.ElemStride}
}
