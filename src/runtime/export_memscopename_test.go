// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Exports of names of memory scopes for tests of package runtime.

package runtime

import (
	"internal/profilerecord"
	"internal/runtime/pprof/label"
	"unsafe"
)

// MemscopeProfileLabels takes a goroutine profile with room for the given
// number of goroutines, and adds the scopes to the labels. The parameter more
// is a number of additional goroutines that the profile seems to have counted.
// It returns the labels that the goroutines then have.
func MemscopeProfileLabels(room, more int) (labels []string) {
	p := make([]profilerecord.StackRecord, room)
	n, ok := pprof_goroutineProfileWithStackSpace(p, nil, nil)
	if !ok {
		return nil
	}
	sets := make([]unsafe.Pointer, n)
	memscopeAddLabels(p[:n], n+more, sets)
	for _, set := range sets {
		if set != nil {
			for _, l := range (*label.Set)(set).List {
				labels = append(labels, l.Key+"="+l.Value)
			}
		}
	}
	return labels
}
