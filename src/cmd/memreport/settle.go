// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The same objects may be at two paths in the two recordings. What a server's
// state holds is below the server's own variables in one, and in the other below
// a request that was being served. Nothing came then.

package main

import (
	"slices"
	"strings"
)

// settledPart is the part of a field's bytes that has gone from one path and come
// to another one if the objects are the same.
const settledPart = 0.9

// settle takes what a field held at the first recording to the path at which the
// last one found the field, if a goroutine is above one of the two paths. The field
// must be of one object: the buffer of one request is not that of another.
func (e *element) settle() {
	gone, came := make(map[string]trail), make(map[string]trail)
	var names []string
	e.fields(nil, func(t trail) {
		at := t.at()
		if from := gone[at.Name]; at.hasGone() && (from == nil || from.at().before() < at.before()) && t.isOne((*element).ownBefore) {
			gone[at.Name] = t
		}
		if to := came[at.Name]; at.hasCome() && (to == nil || to.at().Bytes < at.Bytes) && t.isOne((*element).ownNow) {
			came[at.Name] = t
			names = append(names, at.Name)
		}
	})
	for _, name := range names { // an outer field takes inner ones along, which then have neither gone nor come
		from, to := gone[name], came[name]
		if from != nil && from.at().hasGone() && to.at().hasCome() && to.at().holdsMost(from.at()) && from.isOtherGoroutine(to) {
			from.moveTo(to)
		}
	}
}

// isOtherGoroutine reports whether a goroutine is above one of two paths, and
// neither path goes through the end of the other one.
func (t trail) isOtherGoroutine(other trail) bool {
	return (t[0].Name == stackRoot || other[0].Name == stackRoot) && !slices.Contains(t, other.at()) && !slices.Contains(other, t.at())
}

// fields calls do with the path of each field, those of outer objects first.
func (e *element) fields(t trail, do func(trail)) {
	for _, c := range e.Children {
		path := append(t[:len(t):len(t)], c)
		if name, _, typed := strings.Cut(c.Name, " "); typed && len(t) > 0 && packageElement.MatchString(name) {
			do(path)
		}
		if !c.isPool() {
			c.fields(path, do)
		}
	}
}

// isOne reports whether the reference at the end of t is in one object, or in a
// variable. count returns the number of objects to which an element itself refers.
func (t trail) isOne(count func(*element) int64) bool {
	for _, above := range slices.Backward(t[:len(t)-1]) {
		if above.isContainer() || above.isArray() {
			return false
		}
		if n := count(above); n > 0 {
			return n == 1
		}
	}
	return true
}

// ownNow and ownBefore return the number of objects to which e itself refers.
func (e *element) ownNow() int64 { return e.own().Objects }

func (e *element) ownBefore() int64 {
	n := e.Objects - e.NewCount
	for _, c := range e.Children {
		n -= c.Objects - c.NewCount
	}
	return n
}

// before returns the bytes at the first recording.
func (e *element) before() int64 { return e.Bytes - e.NewBytes }

// hasGone reports whether almost all of what e had is elsewhere or freed, and hasCome
// whether almost all of what it has was not there.
func (e *element) hasGone() bool {
	return e.before() >= growthLeast && float64(-e.NewBytes) >= settledPart*float64(e.before())
}

func (e *element) hasCome() bool {
	return e.Bytes >= growthLeast && float64(e.NewBytes) >= settledPart*float64(e.Bytes)
}

// holdsMost reports whether e has as much as other had.
func (e *element) holdsMost(other *element) bool {
	return float64(e.Bytes) >= settledPart*float64(other.before())
}

// moveTo moves what was at t, and below it, to another path.
func (t trail) moveTo(to trail) {
	bytes, objects := t.at().before(), t.at().Objects-t.at().NewCount
	for _, e := range t[:len(t)-1] {
		e.NewBytes, e.NewCount = e.NewBytes+bytes, e.NewCount+objects
	}
	for _, e := range to[:len(to)-1] {
		e.NewBytes, e.NewCount = e.NewBytes-bytes, e.NewCount-objects
	}
	to.at().Before = t
	t.at().move(to.at())
}

func (e *element) move(to *element) {
	to.NewBytes, to.NewCount = to.NewBytes-e.before(), to.NewCount-(e.Objects-e.NewCount)
	e.NewBytes, e.NewCount = e.Bytes, e.Objects
	index := make(map[*element]map[string]*element)
	for _, c := range e.Children {
		if c.before() != 0 {
			c.move(to.child(index, c.Name, to.Root))
		}
	}
}

// wasBelow returns a path at which t was at the first recording, or nil.
func (t trail) wasBelow() trail {
	for _, e := range t {
		if e.Before != nil {
			return e.Before
		}
	}
	return nil
}
