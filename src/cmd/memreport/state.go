// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The state of a server is found below a request that is being served, if a handler
// is a method or a closure. It grows like a variable, where 5% more in what requests
// hold means nothing.

package main

import (
	"slices"
	"strings"
)

// stays reports whether a path begins at what is there all the time: a variable, or
// the main goroutine. Objects below most goroutines come and go.
func (t trail) stays() bool {
	return t[0].Root == "global" || t[0].Name == stackRoot && len(t) > 1 && t[1].Name == mainStart
}

// oldPart is the part of a path's bytes that is from before the watch if it is no
// request's.
const oldPart = 0.8

// isState reports whether a path below goroutines is not of what requests hold: it
// was below something that stays, or it is of one object and most of it is old.
func (f *facts) isState(t trail) bool {
	if was := t.wasBelow(); was != nil && was.stays() {
		return true
	}
	if f.Compare || !t.isOfOne() {
		return false
	}
	field := pathSeparator + t[len(t.holder())-1:].String() + pathSeparator // the recording of Sites may have another path to it
	var now, old int64
	for _, s := range f.Sites {
		if strings.Contains(pathSeparator+s.Path+pathSeparator, field) {
			now, old = now+s.Bytes, old+s.Bytes-s.NewBytes
		}
	}
	bytes := float64(t.at().Bytes)
	isSame := float64(now) >= mostPart*bytes && mostPart*float64(now) <= bytes // others may have such a field
	return isSame && float64(old) >= oldPart*float64(now)
}

// isOfOne reports whether one object, or a container in one, has what is at the end
// of t. Each of many requests has an object of its own.
func (t trail) isOfOne() bool {
	t = t.holder()
	return t.isOne((*element).ownNow) && t.at().ownNow() <= 1
}

// holder returns the path of the field or variable that has the container at the
// end of t, or t.
func (t trail) holder() trail {
	for len(t) > 1 && t.at().isContainer() {
		t = t[:len(t)-1]
	}
	return t
}

// mayBeState reports whether something grows below goroutines that may be the state
// of a server, which the ages of objects tell.
func (f *facts) mayBeState() bool {
	if f.Refs == nil || f.RefsOnce || f.Compare || !f.liveRises() {
		return false
	}
	for _, root := range f.Refs.Children {
		for _, c := range root.Children {
			if root.Name == stackRoot && slices.ContainsFunc(f.descend(trail{root, c}, f.leastLive(true)), trail.isOfOne) {
				return true
			}
		}
	}
	return false
}
