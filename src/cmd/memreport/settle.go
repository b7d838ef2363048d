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
// last one found the field, if a goroutine is above one of the two paths.
func (e *element) settle() {
	gone := make(map[string]trail)
	e.fields(nil, func(t trail) {
		if at := t.at(); at.hasGone() && (gone[at.Name] == nil || gone[at.Name].at().before() < at.before()) {
			gone[at.Name] = t
		}
	})
	if len(gone) == 0 {
		return
	}
	e.fields(nil, func(t trail) {
		if from := gone[t.at().Name]; from != nil && from.at().hasGone() && t.at().hasCome() && from.isOtherGoroutine(t) {
			from.moveTo(t)
		}
	})
}

// isOtherGoroutine reports whether a goroutine is above one of two paths, and
// neither path goes through the end of the other one.
func (t trail) isOtherGoroutine(other trail) bool {
	return (t[0].Name == stackRoot || other[0].Name == stackRoot) && !slices.Contains(t, other.at()) && !slices.Contains(other, t.at())
}

// fields calls do with the path of each field of an object that is not one of many,
// those of outer objects first.
func (e *element) fields(t trail, do func(trail)) {
	for _, c := range e.Children {
		path := append(t[:len(t):len(t)], c)
		if name, _, typed := strings.Cut(c.Name, " "); typed && len(t) > 0 && !e.isContainer() && !e.isPool() && packageElement.MatchString(name) {
			do(path)
		}
		c.fields(path, do)
	}
}

// before returns the bytes at the first recording.
func (e *element) before() int64 { return e.Bytes - e.NewBytes }

func (e *element) hasGone() bool {
	return e.before() >= growthLeast && float64(-e.NewBytes) >= settledPart*float64(e.before())
}

func (e *element) hasCome() bool {
	return e.Bytes >= growthLeast && float64(e.NewBytes) >= settledPart*float64(e.Bytes)
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
			c.move(to.child(index, c.Name, c.Root))
		}
	}
}

// stays reports whether a path begins at what is there all the time: a variable, or
// the main goroutine. Objects below most goroutines come and go.
func (t trail) stays() bool {
	return t[0].Root == "global" || t[0].Name == stackRoot && len(t) > 1 && t[1].Name == mainStart
}

// oldPart is the part of a path's bytes that is from before the watch if it is no
// request's.
const oldPart = 0.8

// isState reports whether a path below goroutines is not of what a request holds: it
// was below something that stays, or most of it is old.
func (f *facts) isState(t trail) bool {
	if was := t.wasBelow(); was != nil && was.stays() {
		return true
	}
	var now, old int64
	field := pathSeparator + t[max(0, len(t)-2):].String() + pathSeparator // the recording of Sites may have another path to it
	for _, s := range f.Sites {
		if strings.Contains(pathSeparator+s.Path+pathSeparator, field) {
			now, old = now+s.Bytes, old+s.Bytes-s.NewBytes
		}
	}
	return !f.Compare && float64(now) >= mostPart*float64(t.at().Bytes) && float64(old) >= oldPart*float64(now)
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
