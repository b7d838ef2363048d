// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Signatures are names of findings by which machines count them. They do not
// have what changes from build to build: lines, numbers of closures, offsets.

package main

import (
	"regexp"
	"strings"
)

var (
	closureNumber = regexp.MustCompile(`\.(func|gowrap|deferwrap)\d+(\.\d+)*`)
	rangeNumber   = regexp.MustCompile(`-range\d+`) // the body of a loop over a function
	offset        = regexp.MustCompile(`0x[0-9a-f]+`)
)

// key returns by what code is found again: in two takes by its function, because
// they may be of two builds.
func (f *facts) key(code string) string {
	if f.Compare {
		return signature("", function(code))
	}
	return code
}

// signature returns the signature of a kind of finding at a place.
func signature(kind, place string) string {
	place = closureNumber.ReplaceAllString(rangeNumber.ReplaceAllString(place, ""), ".$1")
	return kind + " " + offset.ReplaceAllString(place, "0x")
}

// function returns code without its file and line, which change from build to
// build. Type arguments may have blanks.
func function(code string) string {
	depth := 0
	end := strings.IndexFunc(code, func(r rune) bool {
		switch r {
		case '[':
			depth++
		case ']':
			depth--
		}
		return r == ' ' && depth == 0
	})
	if end < 0 {
		return code
	}
	return code[:end]
}
