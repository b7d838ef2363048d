// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package refs

import (
	"internal/goarch"
	"internal/profilerecord"
)

// A section of a module without a table of variables has at most sectionBlocks
// blocks. If all modules together could then have more than moduleBlocks
// blocks, the limit of each section is lower, but at least fewestBlocks.
const (
	sectionBlocks = 1 << 10
	moduleBlocks  = 1 << 14
	fewestBlocks  = 1 << 4
)

// ModuleBlock returns the size in bytes, a power of two, of the blocks into
// which a section of a module without a table of variables is divided. Each
// block that refers to the heap has a node, so neither one large array nor very
// many modules must take all nodes. size is the size of the section, and
// modules is the number of all modules.
func ModuleBlock(size uintptr, modules int) uintptr {
	most := min(sectionBlocks, max(moduleBlocks/2/uintptr(modules), fewestBlocks))
	block := uintptr(goarch.PtrSize)
	for block*most < size {
		block *= 2
	}
	return block
}

// ModuleNode returns the node of the block at an address.
//
//go:nowritebarrierrec
func (ps *Paths) ModuleNode(block uintptr) uint32 {
	return ps.Find(&Key{Kind: profilerecord.RefsModuleData, Role: profilerecord.RefsVariable, Place: block})
}
