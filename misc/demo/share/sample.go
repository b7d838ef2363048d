// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"regexp"
	"slices"
	"strings"

	"github.com/google/pprof/profile"
)

// unknown is the text in the profile for an unknown type.
const unknown = "(unknown)"

// A sample has the values of one sample of a refs profile.
type sample struct {
	root           string // label root
	typ            string // label type
	path           []string
	objects, bytes int64
}

// A gap is the reason why a sample is not known.
type gap string

const (
	noGap      gap = ""
	noRoot     gap = "no root"         // there is no root, or it has no name of the source: see unnamed and nameless
	noType     gap = "no type"         // of unknown type, on a path that has only known types
	noTypePath gap = "no type on path" // something on the path is of unknown type
)

// unnamed are the kinds of roots that name no part of the program.
var unnamed = []string{"barrier", "allocated", "lost"}

// nameless matches names of globals that are not in the source: variables for
// composite literals (..stmp_1), and words of a module without a table of
// globals (main(data+0x48)).
var nameless = regexp.MustCompile(`\.\.\w+_\d+$|\((data|bss)\+0x[0-9a-f]+\)$`)

// parse returns the samples of a refs profile, with paths root first.
func parse(p *profile.Profile) []sample {
	samples := make([]sample, len(p.Sample))
	for i, s := range p.Sample {
		samples[i] = sample{
			root:    label(s, "root"),
			typ:     label(s, "type"),
			path:    path(s),
			objects: s.Value[0],
			bytes:   s.Value[1],
		}
	}
	return samples
}

func label(s *profile.Sample, key string) string {
	return strings.Join(s.Label[key], ",")
}

func path(s *profile.Sample) []string {
	var path []string
	for _, location := range slices.Backward(s.Location) {
		for _, line := range slices.Backward(location.Line) {
			path = append(path, line.Function.Name)
		}
	}
	return path
}

// gap returns the gap of a sample.
func (s sample) gap() gap {
	switch {
	case slices.Contains(unnamed, s.root), len(s.path) == 0, nameless.MatchString(s.path[0]):
		return noRoot
	case s.firstUnknown() >= 0:
		return noTypePath
	case s.typ == "" || s.typ == unknown:
		return noType
	}
	return noGap
}

// firstUnknown returns the index of the first element of unknown type, or -1.
func (s sample) firstUnknown() int {
	return slices.IndexFunc(s.path, func(elem string) bool { return strings.Contains(elem, unknown) })
}

// loss returns the element before the first one of unknown type or, if there is
// none of unknown type, the last element. If the root is not known, or is of
// unknown type itself, loss returns the root.
func (s sample) loss() string {
	i := s.firstUnknown()
	switch {
	case len(s.path) == 0:
		return ""
	case s.gap() == noRoot:
		i = 1
	case i < 0:
		i = len(s.path)
	}
	return s.path[max(i-1, 0)]
}
