// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Names of memory scopes, which are kept for good: profiles have counts of them that
// never go. So they are few, and what comes later has the name memscopeOther. A name is
// kept as the label that profiles show.

package runtime

import (
	"internal/profilerecord"
	"internal/runtime/atomic"
	"internal/runtime/pprof/label"
	"unsafe"
)

// memscopeMaxNames is the number of names, with "" and memscopeOther.
const memscopeMaxNames = 257

const memscopeOther = "(other)"

// memscopeLabel is the key of the label.
const memscopeLabel = "memscope"

// memscopeNames are the names by number. lock protects adding one; names are read
// without, below n.
var memscopeNames struct {
	lock  mutex
	n     atomic.Uint32                       // of names but for that with number 0, which is ""
	names [memscopeMaxNames]*label.Set        // a label each
	index [2 * memscopeMaxNames]atomic.Uint32 // hash table of numbers, or 0
}

// memscopeName returns the number of a name, which it adds if there is room.
func memscopeName(name string) uint16 {
	if n, _ := findMemscopeName(name); n != 0 {
		return uint16(n)
	}
	if memscopeNames.n.Load() >= memscopeMaxNames-2 && name != memscopeOther {
		return memscopeName(memscopeOther)
	}
	labels := &label.Set{List: []label.Label{{Key: memscopeLabel, Value: string([]byte(name))}}}
	if memscopeNamed != nil {
		memscopeNamed()
	}
	lock(&memscopeNames.lock)
	n, place := findMemscopeName(name)
	if n == 0 {
		if n = memscopeNames.n.Load() + 1; n < memscopeMaxNames-1 || name == memscopeOther {
			memscopeNames.names[n] = labels
			memscopeNames.n.Store(n)
			place.Store(n)
		} else {
			n = 0
		}
	}
	unlock(&memscopeNames.lock)
	if n == 0 {
		return memscopeName(memscopeOther)
	}
	return uint16(n)
}

// findMemscopeName returns the number of a name, or 0, and where in the index it is or would
// be.
func findMemscopeName(name string) (n uint32, place *atomic.Uint32) {
	for i := strhash(unsafe.Pointer(&name), 0); ; i++ {
		place = &memscopeNames.index[i%uintptr(len(memscopeNames.index))]
		n = place.Load()
		if n == 0 || memscopeNames.names[n].List[0].Value == name {
			return n, place
		}
	}
}

// memscopeNamed is called before a name is added, if it is not nil.
var memscopeNamed func()

// memscopeLabelOf returns the label of the name with a number, nil for "".
func memscopeLabelOf(n uint16) unsafe.Pointer { return unsafe.Pointer(memscopeNames.names[n]) }

// memscopeName returns the number of the name of the scope that gp is in, 0 if it has none.
func (gp *g) memscopeName() uint16 {
	if gp.memscope == nil {
		return 0
	}
	return gp.memscope.name
}

// memscopeAddLabels adds the scopes of the records of goroutines to their labels, where they
// take the place of a label with the same key. labels may be nil.
func memscopeAddLabels(p []profilerecord.StackRecord, labels []unsafe.Pointer) {
	for i := range labels {
		if scope := (*label.Set)(memscopeLabelOf(p[i].Scope)); scope != nil {
			labels[i] = unsafe.Pointer(withMemscope((*label.Set)(labels[i]), scope))
		}
	}
}

// withMemscope returns labels, which may be nil, with the label of a scope.
func withMemscope(labels, scope *label.Set) *label.Set {
	if labels == nil {
		return scope
	}
	list := append([]label.Label(nil), scope.List[0])
	for _, l := range labels.List {
		if l.Key != memscopeLabel {
			list = append(list, l)
		}
	}
	return &label.Set{List: list}
}
