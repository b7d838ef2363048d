// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// What a profile in protocol buffer form says of itself. Collectors need all of it: some
// fail on a profile without period type, and show the last sample type of one that names
// no default. So each profile that upstream does not have, or has with fewer sample types,
// begins with pbHeader.

package pprof

// A protoHeader is what a profile says of itself.
type protoHeader struct {
	periodType  protoType
	period      int64 // of periodType, between two samples: 1 if nothing is sampled
	sampleTypes []protoType
	defaultType string // of sampleTypes
	doc         string // the declaration in this package that has the documentation
}

// A protoType is a type of values and their unit.
type protoType struct{ name, unit string }

// pbHeader writes a header.
func (b *profileBuilder) pbHeader(h protoHeader) {
	b.pbValueType(tagProfile_PeriodType, h.periodType.name, h.periodType.unit)
	b.pb.int64(tagProfile_Period, max(h.period, 1))
	for _, t := range h.sampleTypes {
		b.pbValueType(tagProfile_SampleType, t.name, t.unit)
	}
	b.pbDefault(h.defaultType, h.doc)
}

// pbCountHeader completes the header of a profile that printCountProfile writes, if it is
// the goroutineleak profile.
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

const tagProfile_DocURL = 15 // int64 (string table index)
