// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file decides whether watched objects are reachable. An object that the
// first collection frees is free. For this collection the test has the variables
// that it had when it called Watch (variables.go), and if one of them holds the
// object in a collection, it keeps it. Others may be held for a moment: by an item
// of a sync.Pool, a finalizer, or a goroutine that is about to end. Therefore
// more collections follow, with growing pauses. While collections queue
// finalizers or cleanups, the pauses do not grow, because a list of objects
// with finalizers takes a collection for each object. If an object is there
// after all collections, up to three snapshots are taken. If one of them has a
// path to the object from a root of the first class, the object is reachable.
// If none has, the last snapshot decides. If it has the object but no path to
// it, or if its shortest path begins at the root (not recorded), the test
// fails, too. If the path begins at another root of the second class, or if the
// snapshot lacks the object, the object counts as free. If one of the snapshots
// cannot be taken, the test fails.

package heaptest

import (
	"debug/heapgraph"
	"fmt"
	"runtime/metrics"
	"slices"
	"time"
)

// patience is the longest pause between two collections. The sum of all pauses
// is less than twice as long, unless collections queue finalizers or cleanups.
// Only tests change it.
var patience = 512 * time.Millisecond

// decide sets the verdicts of the objects in list.
func (g *group) decide(list []*watched) {
	collect()
	list = g.settle(existing(list))
	pause, last := time.Duration(0), queued()
	for n := 0; len(list) > 0; n++ {
		if pause >= patience {
			break
		}
		pause = max(time.Millisecond, 2*pause)
		if now := queued(); now != last && n < maxQueued {
			pause, last = time.Millisecond, now
		}
		time.Sleep(pause)
		collect()
		list = existing(list)
	}
	list = g.settle(list)
	for range maxSnapshots {
		s, err := takeSnapshot()
		list = existing(list)
		list = slices.DeleteFunc(list, func(w *watched) bool { return w.judge(s, err) })
		if len(list) == 0 {
			return
		}
	}
}

// settle drops the variables that do not hold the objects in a collection. If
// one of them holds an object, the test is told so. settle returns the objects
// that exist.
func (g *group) settle(list []*watched) []*watched {
	if len(list) == 0 || len(g.variables) == 0 {
		return list
	}
	needed := make(map[uintptr]bool)
	if s, err := takeSnapshot(); err == nil {
		k := s.searchKept(g.addresses(func(p place) bool { return p.from == 0 }), g.watched)
		for _, w := range list {
			if v, ok := s.Object(int64(w.addr) + s.offset); ok {
				needed[g.collection(k, w, v)] = true
			}
		}
	}
	g.release(needed)
	collect()
	return existing(list)
}

// collection returns the address of a variable that holds w in a collection, or
// 0. v is the object of w.
func (g *group) collection(k *keptSearch, w *watched, v heapgraph.Vertex) uintptr {
	if variable, path := k.path(v, inCollection); path != nil {
		return variable
	}
	for _, at := range []stage{inFields, inVariable} {
		if _, path := k.path(v, at); path != nil && w.note == "" {
			w.note = fmt.Sprintf("%s is free when the test ends, because a variable of the test that held it is:\n%s", w.typ, k.text(path))
		}
	}
	return k.ownCollection(v, g.addresses(func(p place) bool { return p.from == w.addr }), g.watched)
}

// maxQueued is the largest number of collections for which the pauses do not
// grow.
const maxQueued = 200

// queued returns the number of finalizers and cleanups that collections have
// queued so far.
func queued() uint64 {
	s := []metrics.Sample{{Name: "/gc/finalizers/queued:finalizers"}, {Name: "/gc/cleanups/queued:cleanups"}}
	metrics.Read(s)
	return s[0].Value.Uint64() + s[1].Value.Uint64()
}

// maxSnapshots is the largest number of snapshots in which an object is looked
// for. A snapshot may lack references that the program moves during the
// collection.
const maxSnapshots = 3

// existing returns the objects of list that have not been freed. It clears the
// verdicts of the others, which are not reachable, whatever an earlier snapshot
// has shown.
func existing(list []*watched) (left []*watched) {
	for _, w := range list {
		if w.exists() {
			left = append(left, w)
		} else {
			w.verdict = ""
		}
	}
	return left
}

// judge sets the verdict of w, which existed before and after the snapshot s
// was taken. It reports whether the verdict is final: no other snapshot can
// change it.
func (w *watched) judge(s *snapshot, err error) (final bool) {
	w.verdict = ""
	if err != nil {
		w.verdict = fmt.Sprintf("%s is there when the test ends; there is no snapshot: %v", w.typ, err)
		return true
	}
	v, ok := s.Object(int64(w.addr) + s.offset)
	if !ok { // the collection of the snapshot has not marked it
		return false
	}
	path := s.ShortestPath(v)
	switch {
	case path == nil || s.Name(path[0].From) == "(not recorded)":
		w.verdict = fmt.Sprintf("%s is there when the test ends, but the snapshot has no path to it", w.typ)
	case !s.SecondClass(path[0].From):
		w.verdict = fmt.Sprintf("%s is reachable when the test ends:\n%s", w.typ, s.text(path))
		return true
	}
	return false
}
