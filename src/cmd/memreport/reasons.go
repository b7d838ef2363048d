// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Some places of the standard library have one meaning, which their names do not
// say: a goroutine in persistConn.readLoop that waits for no network has a
// response whose body nobody closes.

package main

import "strings"

const because = "because "

// placeReasons are reasons for which goroutines wait, by the beginning of the
// function's name and the state. The function is that in which they wait or, if
// began is set, that in which they began. Causes come before their effects.
var placeReasons = []struct {
	function, state, text string
	began                 bool
}{
	{"net/http.(*persistConn).readLoop", "", "the bodies of responses are neither read to their end nor closed", true},
	{"net/http.(*persistConn).readLoop", "io", "connections of an http.Transport stay open: requests that share one transport use them again", true},
	{"net/http.(*conn).serve", "io", "clients keep connections open: http.Server.IdleTimeout closes those without requests", false},
	{"database/sql.(*DB).connectionOpener", "", "values of sql.DB are not closed", true},
	{"context.(*cancelCtx).propagateCancel.func", "", "contexts below one of another type are not cancelled", true},
}

const (
	contextsStay    = "contexts are neither cancelled nor past their deadline"
	contextChildren = "context.cancelCtx.children " // without those that are cancelled
	childLeast      = 8                             // bytes of the map for each child
)

// pathReasons are reasons for which objects stay, by a part of their path.
var pathReasons = []struct{ part, text string }{
	{contextChildren, contextsStay},
	{"map[context.canceler]struct {}", contextsStay},
	{"(timer) ", "timers are neither due nor stopped"},
}

// reason returns a detail that says why the goroutines wait, if that is certain.
func (p place) reason() []string {
	for _, r := range placeReasons {
		if p.State == r.state && (strings.HasPrefix(p.Code, r.function) || r.began && strings.HasPrefix(p.Start, r.function)) {
			return []string{because + r.text}
		}
	}
	return nil
}

// reason returns a detail that says why objects at a path stay, if that is certain.
// Contexts refer to each other: all are found at one of them.
func (t trail) reason() []string {
	e, path := t.at(), t.String()
	for _, c := range e.Children {
		if strings.HasPrefix(c.Name, contextChildren) && c.Bytes >= childLeast*e.ownNow() && !e.isContainer() && e.own().NewCount >= manyObjects {
			return []string{because + contextsStay}
		}
	}
	for _, r := range pathReasons {
		if strings.Contains(path, r.part) && !(t[0].Root == "timer" && t[0].own().NewCount < manyObjects) {
			return []string{because + r.text}
		}
	}
	return nil
}
