// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Most elements of a path are of the standard library if a handler holds memory:
// net/http.defaultServeMux > ... > main.app.pages. Those of the program's own
// packages say what to change.

package main

import (
	"regexp"
	"strings"
)

// packageElement matches elements that begin with a package: fields, variables
// and functions, and no types.
var packageElement = regexp.MustCompile(`^(?:[\w.~%-]+/)*[\w%-]+\.[\pL_(]`)

// isOwnElement reports whether an element of a path is of a package that is not
// of the standard library.
func isOwnElement(name string) bool {
	return packageElement.MatchString(name) && !isStd(function(name))
}

// isOwn reports whether an element is of one of the program's own packages.
func (f *facts) isOwn(name string) bool {
	return isOwnElement(name) && !f.Dependencies[packageOf(function(name))]
}

// holderName names what holds the objects at g: a variable, or the function of
// goroutines. If that is not the program's own, it is the first of the elements
// below it that is. The state of a server has one name, whether it is below main or
// below a request.
func (f *facts) holderName(g trail) string {
	if name := f.stateName(g); name != "" {
		return name
	}
	root := shortRoot(g)
	if f.isOwn(root) || !packageElement.MatchString(root) {
		return root
	}
	for _, e := range g {
		if f.isOwn(e.Name) {
			return function(e.Name)
		}
	}
	return root
}

// stateName returns the program's last field or variable on a path of goroutines
// that leads through the standard library, as below http.Server, or "".
func (f *facts) stateName(g trail) (name string) {
	if g[0].Name != stackRoot {
		return ""
	}
	through := false
	for _, e := range g[1:] {
		_, _, isVariable := strings.Cut(e.Name, " ")
		switch {
		case !packageElement.MatchString(e.Name), e.Name == mainStart:
		case !f.isOwn(e.Name):
			through = true
		case isVariable && through:
			name = function(e.Name)
		}
	}
	return name
}
