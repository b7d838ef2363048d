// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file writes the beginning of a profile in protocol buffer form, which
// describes the profile. Some programs that collect profiles fail on a profile
// that has no period type. Some show the last sample type of a profile that has
// no default sample type. Therefore the profiles that Go's release does not
// have, or has with fewer sample types, begin with a protoHeader.

package pprof

import (
	"cmp"
	"io"
)

// A protoHeader describes a profile. It does not have the mapping, because
// profileBuilder.build writes the mapping at the end.
type protoHeader struct {
	periodType  protoType // {space bytes} if empty
	period      int64     // between two samples, in units of periodType; 0 or less is written as 1
	sampleTypes []protoType
	defaultType string // one of sampleTypes
	doc         string // name of the declaration in this package that has the documentation; Profile if empty
	duration    int64  // nanoseconds that the profile covers, or 0
	comments    []string
}

// A protoType is a type of values and its unit.
type protoType struct{ name, unit string }

// newProtoProfile begins a profile.
func newProtoProfile(w io.Writer, h protoHeader) *profileBuilder {
	b := newProfileBuilder(w)
	b.pbHeader(h)
	return b
}

// pbHeader writes a header. The page fault profile calls it instead of
// newProtoProfile, because StartPageFaultProfile makes the builder before the
// header is known.
func (b *profileBuilder) pbHeader(h protoHeader) {
	periodType := cmp.Or(h.periodType, protoType{"space", "bytes"})
	b.pbValueType(tagProfile_PeriodType, periodType.name, periodType.unit)
	b.pb.int64(tagProfile_Period, max(h.period, 1))
	for _, t := range h.sampleTypes {
		b.pbValueType(tagProfile_SampleType, t.name, t.unit)
	}
	b.pbDefault(h.defaultType, cmp.Or(h.doc, "Profile"))
	b.pb.int64Opt(tagProfile_DurationNanos, h.duration)
	for _, c := range h.comments {
		b.pb.int64(tagProfile_Comment, b.stringIndex(c))
	}
}

// pbCountHeader completes the header of a profile that printCountProfile
// writes. It does so only for the goroutineleak profile.
func (b *profileBuilder) pbCountHeader(name string) {
	if name == "goroutineleak" {
		b.pbDefault(name, "Profile")
	}
}

// pbDefault writes the default sample type, and the URL of the documentation.
func (b *profileBuilder) pbDefault(sampleType, doc string) {
	b.pb.int64Opt(tagProfile_DefaultSampleType, b.stringIndex(sampleType))
	b.pb.int64Opt(tagProfile_DocURL, b.stringIndex("https://pkg.go.dev/runtime/pprof#"+doc))
}
