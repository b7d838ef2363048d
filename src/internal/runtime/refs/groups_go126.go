// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build !go1.27

package refs

import "internal/abi"

// GroupsOf returns the layout of the groups of t, which may be any memory. The
// slots follow one control byte for each.
func GroupsOf(t *abi.MapType) Groups {
	return Groups{Size: t.GroupSize, Keys: abi.MapGroupSlots, KeyStride: t.SlotSize, Elems: abi.MapGroupSlots + t.ElemOff, ElemStride: t.SlotSize}
}
