// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Packages of other modules are told by the files of their functions, which have
// the module's version, or are in a folder vendor. Nobody changes a router to mend
// a handler.

package main

import (
	"regexp"
	"strings"
)

// dependencyFile matches files such as /go/pkg/mod/golang.org/x/net@v0.1.0/a.go.
var dependencyFile = regexp.MustCompile(`@v\d|/vendor/`)

// dependencies returns the packages of other modules, as far as functions of them
// wait, or have allocated what is there.
func (t *take) dependencies() map[string]bool {
	all := make(map[string]bool)
	for _, name := range []string{"goroutine", "memory", "inuse"} {
		p := t.profile(t.last(name))
		if p == nil {
			continue
		}
		for _, f := range p.Function {
			if dependencyFile.MatchString(strings.ReplaceAll(f.Filename, `\`, "/")) {
				all[packageOf(f.Name)] = true
			}
		}
	}
	return all
}
