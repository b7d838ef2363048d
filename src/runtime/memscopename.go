// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Names of memory scopes, which are kept for good: profiles have counts of them that
// never go. So they are few, and what comes later is memscopeOther. A name is
// kept as the label that profiles show.

package runtime

import (
	"internal/profilerecord"
	"internal/runtime/atomic"
	"internal/runtime/pprof/label"
	"unsafe"
)

const (
	memscopeMaxNames = 256 // with "", which has number 0
	memscopeOther    = memscopeMaxNames
)

// memscopeLabel is the key of the label.
const memscopeLabel = "memscope"

var memscopeOtherLabel = label.Set{List: []label.Label{{Key: memscopeLabel, Value: "(other)"}}}

// memscopeNames are the names by number, as a label each. sema is held to add one; they
// are read without.
var memscopeNames = struct {
	sema  uint32
	n     atomic.Uint32 // that are used
	names [memscopeMaxNames]*label.Set
	index [2 * memscopeMaxNames]atomic.Uint32 // hash table of numbers, or 0
}{sema: 1}

// memscopeName returns the number of a name, which it adds if there is room.
func memscopeName(name string) uint16 {
	n, _ := findMemscopeName(name)
	if n == 0 {
		semacquire(&memscopeNames.sema)
		n = addMemscopeName(name)
		semrelease(&memscopeNames.sema)
	}
	return uint16(n)
}

// addMemscopeName is memscopeName, with sema held.
func addMemscopeName(name string) uint32 {
	n, place := findMemscopeName(name)
	if n != 0 {
		return n
	}
	n = memscopeNames.n.Load() + 1
	if n == memscopeMaxNames {
		return memscopeOther
	}
	if memscopeNamed != nil {
		memscopeNamed()
	}
	name = string([]byte(name)) // not part of something larger
	memscopeNames.names[n] = &label.Set{List: []label.Label{{Key: memscopeLabel, Value: name}}}
	memscopeNames.n.Store(n)
	place.Store(n)
	return n
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
func memscopeLabelOf(n uint16) unsafe.Pointer {
	if n == memscopeOther {
		return unsafe.Pointer(&memscopeOtherLabel)
	}
	return unsafe.Pointer(memscopeNames.names[n])
}

// memscopeName returns the number of the name of the scope that gp is in, 0 if it has none.
func (gp *g) memscopeName() uint16 {
	if gp.memscope == nil {
		return 0
	}
	return gp.memscope.name
}

// noteRecordScope notes the name of the scope that gp is in in its record, behind the stack
// that makeRecordStack has made.
func noteRecordScope(r *profilerecord.StackRecord, gp *g) {
	r.Stack[:cap(r.Stack)][len(r.Stack)+profilerecord.StackTailScope] = uintptr(gp.memscopeName())
}

// recordScope returns the number that noteRecordScope has noted.
func recordScope(r *profilerecord.StackRecord) uint16 {
	return uint16(r.Tail()[profilerecord.StackTailScope])
}

// memscopeAddLabels adds the scopes of the first n records of goroutines to their labels,
// where they take the place of a label with the same key. labels may be nil, or longer
// than p. n may be greater than the length of p: goroutines that threads of C became
// while the profile was taken are counted, and have no record.
func memscopeAddLabels(p []profilerecord.StackRecord, n int, labels []unsafe.Pointer) {
	if labels == nil {
		return
	}
	for i := range p[:min(n, len(p))] {
		if scope := (*label.Set)(memscopeLabelOf(recordScope(&p[i]))); scope != nil {
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
