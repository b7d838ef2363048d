// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file has the elements of paths, and their text.

package refpath

import (
	"fmt"
	"path"
	"runtime"
	"slices"
	"strings"
)

// These texts stand for a name or a type.
const (
	Unknown     = "(unknown)"
	NotRecorded = "(not recorded)"
	TinyBlock   = "(tiny block)"
	ThisRequest = "(this request)" // goroutines that serve requests for the recording
)

// An Elem is an element of a path: a frame with a return PC, or a reference
// with a name.
type Elem struct {
	Name string
	PC   uintptr
}

// String returns the element's name. For a frame it returns the frame's
// function and the functions inlined there, outermost first.
func (e Elem) String() string {
	return e.text(runtime_FrameSymbolName)
}

// WithLines returns the same text as String, with the file and line of each
// function of a frame.
func (e Elem) WithLines() string {
	return e.text(func(f *runtime.Frame) string {
		return withLine(runtime_FrameSymbolName(f), f.File, f.Line)
	})
}

// text returns the text of the element. call returns the text of a call.
func (e Elem) text(call func(*runtime.Frame) string) string {
	if e.PC == 0 {
		return e.Name
	}
	var calls []string
	for _, f := range framesAt(e.PC) {
		calls = append(calls, call(&f))
	}
	return strings.Join(calls, " > ")
}

// withLine returns the text of a call in a function at a line.
func withLine(function, file string, line int) string {
	if file == "" {
		return function
	}
	return fmt.Sprintf("%s %s:%d", function, path.Base(file), line)
}

// RootText returns the text of a kind of roots with labels, which are keys and
// values.
func RootText(kind string, labels [][2]string) string {
	if len(labels) == 0 {
		return kind
	}
	var texts []string
	for _, l := range labels {
		texts = append(texts, fmt.Sprintf("%q:%q", l[0], l[1]))
	}
	slices.Sort(texts)
	return kind + " {" + strings.Join(texts, ", ") + "}"
}
