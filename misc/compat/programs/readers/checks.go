// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/google/pprof/profile"
)

// checks are the checks of one profile. The parameter all has all profiles, by
// name.
var checks = []struct {
	name  string
	check func(name string, p *profile.Profile, all map[string]*profile.Profile) error
}{
	{"CheckValid", func(_ string, p *profile.Profile, _ map[string]*profile.Profile) error { return p.CheckValid() }},
	{"round trip", roundTrip},
	{"Merge with itself", mergeSelf},
	{"Merge with its difference", mergeDelta},
	{"Compact", compact},
	{"what collectors read", collectors},
}

func roundTrip(_ string, p *profile.Profile, _ map[string]*profile.Profile) error {
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		return err
	}
	q, err := profile.Parse(&b)
	if err != nil {
		return err
	}
	return sameSums(sums(q), sums(p))
}

func mergeSelf(_ string, p *profile.Profile, _ map[string]*profile.Profile) error {
	q, err := profile.Merge([]*profile.Profile{p, p.Copy()})
	if err != nil {
		return err
	}
	want := sums(p)
	for i := range want {
		want[i] *= 2
	}
	return errors.Join(q.CheckValid(), sameSums(sums(q), want))
}

func mergeDelta(name string, p *profile.Profile, all map[string]*profile.Profile) error {
	d := all[name+".delta"]
	if d == nil {
		return nil
	}
	q, err := profile.Merge([]*profile.Profile{p, d})
	if err != nil {
		return err
	}
	want := sums(p)
	for i, sum := range sums(d) {
		want[i] += sum
	}
	return errors.Join(q.CheckValid(), sameSums(sums(q), want))
}

func compact(_ string, p *profile.Profile, _ map[string]*profile.Profile) error {
	return sameSums(sums(p.Compact()), sums(p))
}

// collectors checks the fields that Parca's ingestion and Pyroscope's
// normalization read without checking that they are present. The programs in
// ../parca and ../pyroscope run the code of Parca and Pyroscope itself, and
// take minutes to build.
//
//   - both take PeriodType for a part of the profile's identity: without it,
//     Parca stores a series that it then cannot list, and Pyroscope
//     dereferences nil;
//   - a sample type needs a name and a unit, and must occur once; the default
//     sample type, if there is one, must be among them;
//   - a location has lines with functions, or an address, which is left for a
//     symbolizer that has the executable.
func collectors(_ string, p *profile.Profile, _ map[string]*profile.Profile) error {
	if p.PeriodType == nil || p.PeriodType.Type == "" || p.PeriodType.Unit == "" {
		return fmt.Errorf("PeriodType is %v", p.PeriodType)
	}
	var types []string
	for _, t := range p.SampleType {
		if t.Type == "" || t.Unit == "" || slices.Contains(types, t.Type) {
			return fmt.Errorf("sample type %q, unit %q, after %q", t.Type, t.Unit, types)
		}
		types = append(types, t.Type)
	}
	if d := p.DefaultSampleType; d != "" && !slices.Contains(types, d) {
		return fmt.Errorf("the default sample type is %q, of %q", d, types)
	}
	for _, l := range p.Location {
		if len(l.Line) == 0 && l.Address == 0 {
			return fmt.Errorf("location %d has neither lines nor an address", l.ID)
		}
		for _, line := range l.Line {
			if line.Function == nil {
				return fmt.Errorf("location %d has a line without a function", l.ID)
			}
		}
	}
	return nil
}

// sums returns the sums of the values by sample type.
func sums(p *profile.Profile) []int64 {
	sums := make([]int64, len(p.SampleType))
	for _, s := range p.Sample {
		for i, v := range s.Value {
			sums[i] += v
		}
	}
	return sums
}

func sameSums(have, want []int64) error {
	if !slices.Equal(have, want) {
		return fmt.Errorf("the values sum to %d, want %d", have, want)
	}
	return nil
}
