// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file counts the bytes of objects to which no reference refers, as the
// recorder does (runtime/mrefsunused.go).

package core

import "internal/runtime/refs"

// setBounds sets what the reference e refers to. t is its target o, as resolving
// e has left it.
func (m *marker) setBounds(o *object, e *refs.Edge, t *refs.Target, exact bool) {
	o.whole = m.paths.Whole(t)
	o.part = o.whole
	o.doubtful = !t.Extent.Extends()
	if refs.HasBounds(exact, uintptr(o.s.slotSize)) && !o.s.userArena {
		o.part = m.paths.BoundsOf(t.Extent, e.Slot, e.Val, t, o.whole)
	}
}

// setWhole makes the reference to o one to the whole object.
func (m *marker) setWhole(o *object) {
	t := o.target()
	o.whole = m.paths.Whole(&t)
	o.part = o.whole
	o.doubtful = false
}

// countUnused counts the unused bytes of o, which has just been claimed at node
// n. It returns refs.Partly if o has a hull.
func (m *marker) countUnused(o *object, n uint32) (flag uint32) {
	size, used := uintptr(o.s.slotSize), o.part.Len()
	if size > refs.MinHull && o.part != o.whole {
		m.extendHeld(o)
		used, flag = m.hulls[o.number].Used(size), refs.Partly
	}
	m.paths.CountUnused(n, int64(size-used))
	return flag
}

// setReleased sets what references refer to of o, which is released. An object
// that no reference has reached is used as a whole.
func (m *marker) setReleased(o *object) {
	m.setWhole(o)
	if m.hulls[o.number] != 0 {
		o.part = refs.Bounds{}
	}
}

// extendHeld extends the hull of o, which is not claimed yet, by the reference
// whose bounds are set.
func (m *marker) extendHeld(o *object) {
	size := uintptr(o.s.slotSize)
	if size <= refs.MinHull || o.doubtful {
		return
	}
	if m.hulls == nil {
		m.hulls = make(map[uint32]refs.Hull)
	}
	m.hulls[o.number] = m.hulls[o.number].With(o.part, size)
}

// isPartly reports whether o is claimed and has a hull.
func (m *marker) isPartly(o *object) bool {
	return m.words[o.number]&(refs.Held|refs.Partly) == refs.Partly
}

// extend extends the hull of o by the reference whose bounds are set.
func (m *marker) extend(o *object) {
	if o.doubtful || !m.isPartly(o) {
		return
	}
	size, old := uintptr(o.s.slotSize), m.hulls[o.number]
	if h := old.With(o.part, size); h != old {
		m.hulls[o.number] = h
		m.paths.CountUnused(m.words[o.number], int64(old.Used(size))-int64(h.Used(size)))
	}
}

// extendBy extends the hull of o, which is claimed, by e.
func (m *marker) extendBy(e *refs.Edge, o *object) {
	var k refs.Key
	t := o.target()
	m.setBounds(o, e, &t, m.paths.Resolve(e, &t, &k))
	m.extend(o)
}
