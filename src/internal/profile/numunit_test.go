// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package profile

import (
	"bytes"
	"maps"
	"slices"
	"testing"
)

// TestKeepUnits checks that a profile that is written and read again, or merged
// with another, keeps the units of labels and the default sample type.
func TestKeepUnits(t *testing.T) {
	units := []map[string][]string{
		nil,
		{"size": {"bytes"}},
		{"size": {"", "bytes"}, "wait": {"nanoseconds"}},
	}
	values := []map[string][]int64{
		{"plain": {7}},
		{"size": {2048}},
		{"size": {1, 2}, "wait": {3}, "plain": {4, 5}},
	}
	newProfile := func() *Profile {
		p := &Profile{
			SampleType:        []*ValueType{{Type: "goroutine", Unit: "count"}, {Type: "stack_space", Unit: "bytes"}},
			PeriodType:        &ValueType{Type: "goroutine", Unit: "count"},
			Period:            1,
			DefaultSampleType: "goroutine",
		}
		for i := range units {
			p.Sample = append(p.Sample, &Sample{Value: []int64{0, int64(i + 1)}, NumLabel: values[i], NumUnit: units[i]})
		}
		return p
	}
	check := func(what string, p *Profile) {
		if p.DefaultSampleType != "goroutine" {
			t.Errorf("%s: default sample type %q", what, p.DefaultSampleType)
		}
		if len(p.Sample) != len(units) {
			t.Fatalf("%s: %d samples, want %d", what, len(p.Sample), len(units))
		}
		for i, s := range p.Sample {
			if !maps.EqualFunc(s.NumLabel, values[i], slices.Equal) {
				t.Errorf("%s: sample %d: values %v, want %v", what, i, s.NumLabel, values[i])
			}
			for k := range values[i] {
				if got, want := s.NumUnit[k], units[i][k]; !slices.Equal(got, want) {
					t.Errorf("%s: sample %d: units of %s %q, want %q", what, i, k, got, want)
				}
			}
		}
	}

	var buf bytes.Buffer
	if err := newProfile().Write(&buf); err != nil {
		t.Fatal(err)
	}
	read, err := Parse(&buf)
	if err != nil {
		t.Fatal(err)
	}
	check("read", read)
	merged, err := Merge([]*Profile{read, newProfile()})
	if err != nil {
		t.Fatal(err)
	}
	check("merged", merged)
	for i, s := range merged.Sample {
		if got, want := s.Value[1], int64(2*(i+1)); got != want {
			t.Errorf("merged: sample %d: value %d, want %d", i, got, want)
		}
	}
}
