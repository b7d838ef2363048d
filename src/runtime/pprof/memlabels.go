// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file writes labels in memory profiles, in the formats of the heap
// profile and of profiles like it. The labels are those that a goroutine had
// when it allocated, if GODEBUG=memprofilelabels=1 (runtime/mproflabels.go),
// and the name of the memory scope that it was in. protomem.go and pprof.go
// call these functions for heap and allocs, inuse.go and inusewrite.go for
// inuse, and memory.go and memorywrite.go for memory. pagefault.go calls
// pbMemLabels for the labels that a goroutine had at a page fault.

package pprof

import (
	"fmt"
	"internal/profilerecord"
	"io"
	"slices"
	"unsafe"
)

// pbMemLabels writes the labels of a sample. labels may be nil. own lists the
// keys that the profile itself uses. A label of the goroutine with such a key
// gets the prefix "goroutine.", because a sample should have only one value for
// a key.
func (b *profileBuilder) pbMemLabels(labels unsafe.Pointer, own ...string) {
	if labels == nil {
		return
	}
	for _, l := range (*labelMap)(labels).Set.List {
		key := l.Key
		if slices.Contains(own, key) {
			key = "goroutine." + key
		}
		b.pbLabel(tagSample_Label, key, l.Value, 0)
	}
}

// addMemScopes adds the scopes of records to their labels.
func addMemScopes(records []profilerecord.LabelledMemRecord) {
	for i := range records {
		r := &records[i]
		r.Labels = withScope(r.Labels, r.Scope)
	}
}

// withScope returns labels with the label of scope added. The added label
// replaces a label with the same key. Both arguments may be nil.
func withScope(labels, scope unsafe.Pointer) unsafe.Pointer {
	if scope == nil {
		return labels
	}
	if labels == nil {
		return scope
	}
	return unsafe.Pointer(&labelMap{mergeLabelSets((*labelMap)(labels).Set, LabelSet{(*labelMap)(scope).Set.List})})
}

// printMemLabels writes the labels of a sample as text, if there are any.
func printMemLabels(w io.Writer, labels unsafe.Pointer) {
	if labels != nil {
		fmt.Fprintf(w, "# labels: %s\n", (*labelMap)(labels))
	}
}

// pprof_memProfileWithLabels is defined in runtime/mproflabels.go.
//
//go:linkname pprof_memProfileWithLabels runtime.pprof_memProfileWithLabels
func pprof_memProfileWithLabels(p []profilerecord.LabelledMemRecord) (n int, ok bool)
