// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Labels of goroutines: what goroutines with equal labels hold is below one node, and
// apart from that what those hold that the last goroutineleak profile found leaked.
//
// Equal labels may be at many addresses, so nodes are told apart by a hash of the
// content. Labels never change, and a goroutine whose stack is being scanned keeps
// its own. A program that puts something else in their place is beyond help, but
// the recorder then takes the address.

package runtime

import (
	"internal/profilerecord"
	"internal/runtime/pprof/label"
	"unsafe"
)

// refsMaxLabels is how many sets of labels a recording tells apart. Each set has paths
// of its own, and nodes are limited.
const refsMaxLabels = 256

const refsLeaked = 1 // refsKey.off for leaked goroutines

// refsGoroutineNode returns the node for goroutines with gp's labels, or for those
// without if there are too many others already.
//
//go:nowritebarrierrec
func refsGoroutineNode(gp *g) uint32 {
	key := refsKey{kind: profilerecord.RefsGoroutine}
	if readgstatus(gp)&^_Gscan == _Gleaked {
		key.off = refsLeaked
	}
	if !areLabels((*label.Set)(gp.labels)) {
		return refs.nodes.find(&key)
	}
	h := hashLabels((*label.Set)(gp.labels))
	key.dyn, key.fn = uintptr(h), uintptr(h>>32)
	if n := refs.nodes.lookUp(&key); n != 0 {
		return n
	}
	if refs.nlabels.Load() >= refsMaxLabels {
		key.dyn, key.fn = 0, 0
		return refs.nodes.find(&key)
	}
	n := refs.nodes.find(&key)
	refs.nodes.at(n).keepLabels(uintptr(gp.labels))
	return n
}

// keepLabels notes the labels of node, and keeps them alive after this cycle. Marking
// will mark them without help.
//
//go:nowritebarrierrec
func (node *refsNode) keepLabels(labels uintptr) {
	i := refs.nlabels.Add(1)
	if i <= refsMaxLabels && node.labels.CompareAndSwap(0, i) {
		*(*uintptr)(unsafe.Pointer(&refs.labels[i-1])) = labels
	}
}
