// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file finds the line of a program's own code in a call stack.

package main

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/google/pprof/profile"
)

// A frame is a function and a line in it.
type frame struct {
	function, file string
	line           int64
}

// frames returns the frames of a sample, innermost first.
func frames(s *profile.Sample) (all []frame) {
	for _, l := range s.Location {
		for _, line := range l.Line {
			if line.Function == nil {
				continue
			}
			all = append(all, frame{line.Function.Name, line.Function.Filename, line.Line})
		}
	}
	return all
}

// outermost returns the name of the outermost frame, or "".
func outermost(s *profile.Sample) string {
	if all := frames(s); len(all) > 0 {
		return all[len(all)-1].function
	}
	return ""
}

// String returns the function, and the file's name with its folder.
func (f frame) String() string {
	if f.file == "" {
		return f.function
	}
	file := strings.ReplaceAll(f.file, `\`, "/")
	return fmt.Sprintf("%s %s:%d", f.function, path.Join(path.Base(path.Dir(file)), path.Base(file)), f.line)
}

// ownFrame returns the innermost frame that is not of the standard library, and
// the function that it calls. If all frames are of the standard library, it
// returns the outermost one that says what goroutine this is.
func ownFrame(all []frame) (own, call frame) {
	for i, f := range all {
		if !isStd(f.function) {
			if i > 0 {
				call = all[i-1]
			}
			return f, call
		}
	}
	for _, f := range slices.Backward(all) {
		if strings.Contains(f.function, ".") && !strings.HasPrefix(f.function, "runtime.") && !closureNumber.MatchString(f.function) {
			return f, frame{}
		}
	}
	if len(all) > 0 {
		return all[0], frame{}
	}
	return frame{}, frame{}
}

// packageOf returns the path of a function's package.
func packageOf(function string) string {
	function, _, _ = strings.Cut(function, "[")
	slash := strings.LastIndexByte(function, '/') + 1
	name, _, _ := strings.Cut(function[slash:], ".")
	return function[:slash] + name
}

// isStd reports whether a function is of the standard library, of
// golang.org/x/sys, which calls the system as package syscall does, or is no
// function, but the name of a class of memory.
func isStd(function string) bool {
	p := packageOf(function)
	if strings.HasPrefix(p, "golang.org/x/sys/") {
		return true
	}
	first, _, _ := strings.Cut(p, "/")
	return stdTrees[first] || !strings.Contains(function, ".")
}

// stdTrees has the first elements of the paths of std.
var stdTrees = set("archive bufio bytes cmp compress container context crypto database debug embed encoding " +
	"errors expvar flag fmt go hash html image index internal io iter log maps math mime net os path plugin " +
	"reflect regexp runtime simd slices sort strconv strings structs sync syscall testing text time unicode " +
	"unique unsafe uuid vendor weak")

func set(words string) map[string]bool {
	m := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}
