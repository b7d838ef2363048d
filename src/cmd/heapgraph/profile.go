// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file writes the dominator tree as a profile for pprof.

package main

import (
	"io"

	"github.com/google/pprof/profile"
)

// writeProfile writes the profile of s, compressed.
func (s *snapshot) writeProfile(w io.Writer) error {
	p := &profileBuilder{functions: make(map[string]*profile.Location)}
	p.SampleType = []*profile.ValueType{{Type: "live_objects", Unit: "count"}, {Type: "live_space", Unit: "bytes"}}
	p.DefaultSampleType = "live_space"
	p.TimeNanos = s.Time.UnixNano()
	if s.Time.IsZero() {
		p.TimeNanos = 0
	}
	p.Comments = s.header()
	for _, x := range s.dom.Samples() {
		sample := &profile.Sample{Value: []int64{x.Objects, x.Bytes}}
		for _, name := range x.Stack {
			sample.Location = append(sample.Location, p.location(name))
		}
		p.Sample = append(p.Sample, sample)
	}
	if err := p.CheckValid(); err != nil {
		return err
	}
	return p.Write(w)
}

// A profileBuilder builds a profile.
type profileBuilder struct {
	profile.Profile
	functions map[string]*profile.Location
}

// location returns the location of a name.
func (p *profileBuilder) location(name string) *profile.Location {
	if l := p.functions[name]; l != nil {
		return l
	}
	id := uint64(len(p.functions) + 1)
	f := &profile.Function{ID: id, Name: name}
	l := &profile.Location{ID: id, Line: []profile.Line{{Function: f}}}
	p.functions[name] = l
	p.Function = append(p.Function, f)
	p.Location = append(p.Location, l)
	return l
}
