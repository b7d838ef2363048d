// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Names of memory scopes. Names are never freed: scopes and the counts in
// memory profiles refer to them by number, and nothing records which numbers
// are in use. Therefore there is room for a limited number of names, and all
// later names count as memscopeOther. A name is kept as the label that profiles
// show.

package runtime

import (
	"internal/profilerecord"
	"internal/runtime/atomic"
	"internal/runtime/pprof/label"
	"unsafe"
)

const (
	memscopeMaxNames = 256 // including "", which has number 0
	memscopeOther    = memscopeMaxNames
)

// memscopeLabel is the key of the label.
const memscopeLabel = "memscope"

var memscopeOtherLabel = label.Set{List: []label.Label{{Key: memscopeLabel, Value: "(other)"}}}

// memscopeNames has the names by number, each as a label. sema must be held to
// add one; reading takes no lock.
var memscopeNames = struct {
	sema  uint32
	n     atomic.Uint32 // number of names, excluding ""
	names [memscopeMaxNames]*label.Set
	index [2 * memscopeMaxNames]atomic.Uint32 // hash table of the numbers of names; 0 is an empty slot
}{sema: 1}

// memscopeName returns the number of a name. It adds a new name or, if there is
// no room, returns memscopeOther.
func memscopeName(name string) uint16 {
	n, _ := findMemscopeName(name)
	if n == 0 {
		semacquire(&memscopeNames.sema)
		n = addMemscopeName(name)
		semrelease(&memscopeNames.sema)
	}
	return uint16(n)
}

// addMemscopeName is memscopeName for a caller that holds sema.
func addMemscopeName(name string) uint32 {
	n, slot := findMemscopeName(name)
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
	name = string([]byte(name)) // a copy, so that no larger string is kept
	memscopeNames.names[n] = &label.Set{List: []label.Label{{Key: memscopeLabel, Value: name}}}
	memscopeNames.n.Store(n)
	slot.Store(n)
	return n
}

// findMemscopeName returns the number of a name, or 0 if there is none, and the
// slot in the index that has the name or would have it.
func findMemscopeName(name string) (n uint32, slot *atomic.Uint32) {
	for i := strhash(noescape(unsafe.Pointer(&name)), 0); ; i++ {
		slot = &memscopeNames.index[i%uintptr(len(memscopeNames.index))]
		n = slot.Load()
		if n == 0 || memscopeNames.names[n].List[0].Value == name {
			return n, slot
		}
	}
}

// memscopeNamed, if it is not nil, is called before a name is added.
var memscopeNamed func()

// memscopeLabelOf returns the label of the name with number n, or nil for "".
func memscopeLabelOf(n uint16) unsafe.Pointer {
	if n == memscopeOther {
		return unsafe.Pointer(&memscopeOtherLabel)
	}
	return unsafe.Pointer(memscopeNames.names[n])
}

// memscopeName returns the number of the name of the scope that gp counts for.
// It returns 0 if there is no scope, or if neither the scope nor a scope around
// it has a name.
func (gp *g) memscopeName() uint16 {
	s := gp.openMemscope()
	if s == nil {
		return 0
	}
	return s.name
}

// setRecordScope puts the number of the name of gp's scope into gp's record. If
// the scope is closed, its name says which kind of work has left gp behind.
func setRecordScope(r *profilerecord.StackRecord, gp *g) {
	if s := gp.memscope; s != nil {
		r.Space().Scope = uintptr(s.name)
	}
}

// memscopeAddLabels adds the names of the scopes of the first n goroutine
// records to the goroutines' labels, in slot of labels with the same key.
// labels is nil, or at least as long as p. n may be greater than the length of
// p, because it also counts goroutines of C threads that entered Go code while
// the profile was taken. A goroutine for which p has no room has no record.
func memscopeAddLabels(p []profilerecord.StackRecord, n int, labels []unsafe.Pointer) {
	if labels == nil {
		return
	}
	for i := range p[:min(n, len(p))] {
		if scope := (*label.Set)(memscopeLabelOf(uint16(p[i].Space().Scope))); scope != nil {
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
