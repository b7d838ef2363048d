// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The form of pprof. A location is a frame, and has no address, because its
// function is known here.

package mallocprofile

import (
	"internal/profile"
	"io"
	"time"
)

// A protoProfile is a profile with the locations and functions that it has so
// far.
type protoProfile struct {
	profile.Profile
	functions map[frame]*profile.Function // without lines
	locations map[frame]*profile.Location
}

// newProtoProfile returns p, whose IDs are those that its writer counted.
func newProtoProfile(p *profile.Profile) *protoProfile {
	return &protoProfile{*p, make(map[frame]*profile.Function), make(map[frame]*profile.Location)}
}

// writeProto writes the profile for pprof.
func (all *blocks) writeProto(w io.Writer) error {
	p := newProtoProfile(new(profile.Profile))
	for _, t := range valueTypes {
		p.SampleType = append(p.SampleType, &profile.ValueType{Type: t[0], Unit: t[1]})
	}
	for _, s := range all.sites {
		p.add(s.stack, s.labels, s.values[:])
	}
	p.TimeNanos = time.Now().UnixNano()
	p.PeriodType, p.Period = &profile.ValueType{Type: "space", Unit: "bytes"}, all.rate
	p.Comments = []string{all.comment()}
	p.DefaultSampleType = "inuse_space"
	return p.Write(w)
}

// add adds a sample. Labels are keys and values.
func (p *protoProfile) add(stack []frame, labels []string, values []int64) {
	x := &profile.Sample{Value: values, Label: make(map[string][]string)}
	for _, f := range stack {
		x.Location = append(x.Location, p.location(f))
	}
	for i := 0; i < len(labels); i += 2 {
		x.Label[labels[i]] = append(x.Label[labels[i]], labels[i+1])
	}
	p.Sample = append(p.Sample, x)
}

func (p *protoProfile) location(f frame) *profile.Location {
	l := p.locations[f]
	if l == nil {
		l = &profile.Location{ID: uint64(len(p.Location) + 1), Line: []profile.Line{{Function: p.function(f), Line: f.line}}}
		p.locations[f] = l
		p.Location = append(p.Location, l)
	}
	return l
}

// function returns f's function. Its system name is the symbol, which pprof
// demangles, or empty, so that pprof leaves a name in brackets.
func (p *protoProfile) function(f frame) *profile.Function {
	f.line = 0
	fn := p.functions[f]
	if fn == nil {
		fn = &profile.Function{ID: uint64(len(p.Function) + 1), Name: f.function, SystemName: f.symbol, Filename: f.file}
		p.functions[f] = fn
		p.Function = append(p.Function, fn)
	}
	return fn
}
