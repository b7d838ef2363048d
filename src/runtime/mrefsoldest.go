// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The oldest goroutines, whose stacks are followed one after the other before all
// others.
//
// What several goroutines hold is shown under the one whose stack is scanned first.
// Goroutines that live long are the same from one recording to the next, so that
// recordings can be compared, and often are those that own what others use.

package runtime

// refsOldest is the root indices of goroutines, oldest first. gcMarkDone changes it when
// a stage begins.
type refsOldest struct {
	n     int // that are left, or -1 before they are chosen
	i     int
	roots [16]refsAge
}

type refsAge struct {
	goid uint64
	root uint32 // index in work.stackRoots
}

// next prepares the next one's root job, and returns 1, or 0 if there is none.
func (o *refsOldest) next() uint32 {
	if o.n < 0 {
		o.choose()
	} else {
		o.i++
		o.n--
	}
	return uint32(min(o.n, 1))
}

// root returns the root index of the goroutine whose turn it is.
//
//go:nowritebarrierrec
func (o *refsOldest) root() uint32 {
	return o.roots[o.i].root
}

// choose fills in the roots.
func (o *refsOldest) choose() {
	o.n, o.i = 0, 0
	for i, gp := range work.stackRoots[:work.nStackRoots] {
		switch readgstatus(gp) &^ _Gscan {
		case _Gidle, _Gdead, _Gdeadextra:
			continue
		}
		if !isSystemGoroutine(gp, false) {
			o.insert(refsAge{gp.goid, uint32(i)})
		}
	}
}

// insert puts a goroutine where it belongs by age, if it is among the oldest.
func (o *refsOldest) insert(a refsAge) {
	i := o.n
	for i > 0 && o.roots[i-1].goid > a.goid {
		i--
	}
	if i == len(o.roots) {
		return
	}
	o.n = min(o.n+1, len(o.roots))
	copy(o.roots[i+1:o.n], o.roots[i:])
	o.roots[i] = a
}
