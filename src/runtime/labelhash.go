// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The identity of a goroutine's labels: a hash of their text. A program has
// many sets with the same labels, because each call of pprof.Do makes one.
//
// Some programs use linkname to keep another value in the place of labels. A
// value that cannot be read as labels counts as no labels.
//
// Memory profiles call these functions where they intern labels
// (mproflabels.go), on the system stack. The recorder of references calls them
// while marking (mrefsstack.go), without locks. Labels never change once a
// goroutine has them.

package runtime

import (
	"internal/runtime/pprof/label"
	"unsafe"
)

// areLabels reports whether labels points to memory that can be read as labels,
// and has at least one and at most 65,536 labels.
//
//go:nowritebarrierrec
func areLabels(labels *label.Set) bool {
	if labels == nil || !isReadable(unsafe.Pointer(labels), unsafe.Sizeof(*labels)) ||
		len(labels.List) == 0 || len(labels.List) > 1<<16 ||
		!isReadable(unsafe.Pointer(unsafe.SliceData(labels.List)), uintptr(len(labels.List))*unsafe.Sizeof(label.Label{})) {
		return false
	}
	for i := range labels.List {
		if l := &labels.List[i]; !isReadableText(l.Key) || !isReadableText(l.Value) {
			return false
		}
	}
	return true
}

// hashLabels returns a hash of the text of labels. The hash is not 0. areLabels
// must have reported true for labels.
//
//go:nowritebarrierrec
func hashLabels(labels *label.Set) uint64 {
	lo, hi := uintptr(1), uintptr(2)
	for i := range labels.List {
		l := &labels.List[i]
		lo = hashLabelText(l.Value, hashLabelText(l.Key, lo))
		hi = hashLabelText(l.Value, hashLabelText(l.Key, hi))
	}
	return uint64(lo)<<32 ^ uint64(hi) | 1
}

//go:nowritebarrierrec
func hashLabelText(s string, seed uintptr) uintptr {
	return memhash(unsafe.Pointer(unsafe.StringData(s)), seed+uintptr(len(s)), uintptr(len(s)))
}

//go:nowritebarrierrec
func isReadableText(s string) bool {
	return len(s) == 0 || isReadable(unsafe.Pointer(unsafe.StringData(s)), uintptr(len(s)))
}
