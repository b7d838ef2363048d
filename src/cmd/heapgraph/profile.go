// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file writes the dominator tree as a profile for pprof. The size of an
// object is the flat value at the end of its dominators' names, so that the
// cumulative value of a path is what is retained there. The samples add up to
// the live heap.

package main

import (
	"debug/heapgraph"
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
	nodes := s.dom.Names()
	for i := range nodes {
		p.add(nodes[i].Shallow, p.stack(nodes, i))
	}
	p.add(s.unreached(), []*profile.Location{p.location("(not reached)")})
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

// add adds a sample, if there is anything in it.
func (p *profileBuilder) add(a heapgraph.Amount, stack []*profile.Location) {
	if a.Objects != 0 || a.Bytes != 0 {
		p.Sample = append(p.Sample, &profile.Sample{Value: []int64{a.Objects, a.Bytes}, Location: stack})
	}
}

// stack returns the names from a node up to below the first one.
func (p *profileBuilder) stack(nodes []heapgraph.NameNode, i int) []*profile.Location {
	var stack []*profile.Location
	for ; i > 0; i = nodes[i].Parent {
		stack = append(stack, p.location(nodes[i].Name))
	}
	return stack
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
