// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Globals of modules without a table of variables: of plugins, of shared libraries, and of
// the program itself if it was linked with these.
//
// Of such a module only data and bss are known, and which words are pointers. Each section
// is cut into blocks of equal size, and a block is a node: a word in small sections, more
// in large ones, so that neither one large array nor very many modules take all nodes.
// They have a stage of their own, which limits what is below them as well.
//
// Called by mrefsroots.go on the system stack.

package runtime

import (
	"internal/goarch"
	"internal/profilerecord"
	"unsafe"
)

// A section has at most refsSectionBlocks blocks, or fewer if all together were
// more than refsModuleBlocks, but refsFewestBlocks in any case.
const (
	refsSectionBlocks = 1 << 10
	refsModuleBlocks  = 1 << 14
	refsFewestBlocks  = 1 << 4
)

// refsModuleJobs returns the number of jobs for the modules without table.
func refsModuleJobs() uint32 {
	if len(activeModules()) == 1 && refsGlobalCount() > 0 {
		return 0
	}
	return refsGlobalJobs()
}

// refsMarkModules follows the references in a block of data or bss of each module
// without table.
//
//go:nowritebarrier
func refsMarkModules(rp *refsP, gcw *gcWork, job uint32) (done int64) {
	for _, md := range activeModules() {
		if md == &firstmoduledata && refsGlobalCount() > 0 {
			continue
		}
		section, mask, lo, hi := refsCut(md, job)
		b := refsBlock{rp: rp, gcw: gcw, section: section, mask: mask}
		b.scanModule(md, lo, hi)
		done += int64(hi - lo)
	}
	gcController.globalsScanWork.Add(done)
	return done
}

// scanModule follows the references in [lo, hi), a part of a section of md.
//
//go:nowritebarrier
func (b *refsBlock) scanModule(md *moduledata, lo, hi uintptr) {
	size := refsModuleBlockSize(md, b.section)
	scan := refsScan{rp: b.rp, gcw: b.gcw}
	for p := b.next(lo, hi); p < hi; p = b.next(p+goarch.PtrSize, hi) {
		if block := b.section + (p-b.section)/size*size; scan.node == 0 || block != scan.data {
			scan.node, scan.data = refsModuleNode(md, block), block
			scan.stride = refs.nodes.strideOf(scan.node)
		}
		scan.word(p)
	}
	b.rp.followAll(b.gcw)
}

// refsModuleBlockSize returns the size of the blocks of a section of md, which begins at
// the given address: a power of two.
//
//go:nowritebarrier
func refsModuleBlockSize(md *moduledata, section uintptr) uintptr {
	n := md.edata - md.data
	if section == md.bss {
		n = md.ebss - md.bss
	}
	most := min(refsSectionBlocks, max(refsModuleBlocks/2/uintptr(len(activeModules())), refsFewestBlocks))
	size := uintptr(goarch.PtrSize)
	for size*most < n {
		size *= 2
	}
	return size
}

// refsModuleNode returns the node of the block at p of md.
//
//go:nowritebarrier
func refsModuleNode(md *moduledata, p uintptr) uint32 {
	return refs.nodes.find(&refsKey{kind: profilerecord.RefsModuleData, role: profilerecord.RefsVariable,
		off: p, dyn: uintptr(unsafe.Pointer(md))})
}
