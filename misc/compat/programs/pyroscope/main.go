// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Pyroscope normalizes all profiles of a folder, and divides their samples into
// series by labels. It uses Pyroscope's own packages, as Pyroscope's
// distributor does for each profile that it receives. It compares stacks,
// values and labels with those that google/pprof reads, and prints the number
// of series.
//
//	pyroscope DIR
package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/pprof/profile"
	profilev1 "github.com/grafana/pyroscope/api/gen/proto/go/google/v1"
	"github.com/grafana/pyroscope/pkg/pprof"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Println("usage: pyroscope DIR")
		os.Exit(2)
	}
	files, err := filepath.Glob(filepath.Join(os.Args[1], "*.pb.gz"))
	if err != nil || len(files) == 0 {
		fmt.Println("no profiles:", err)
		os.Exit(1)
	}
	failed := false
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".pb.gz")
		if err := check(name, file); err != nil {
			fmt.Printf("%s: %v\n", name, err)
			failed = true
		}
	}
	if failed {
		os.Exit(1)
	}
}

// samples has the values of samples, by labels and stack.
type samples map[string][]int64

func (s samples) add(key string, values []int64) {
	if s[key] == nil {
		s[key] = make([]int64, len(values))
	}
	for i, v := range values {
		s[key][i] += v
	}
}

// dropEmpty drops samples of which no value is positive, as the normalization
// does.
func (s samples) dropEmpty() {
	maps.DeleteFunc(s, func(_ string, values []int64) bool { return slices.Max(values) <= 0 })
}

// key is the text of a sample: labels, and functions with the outermost first.
func key(labels, functions []string) string {
	labels = slices.Sorted(slices.Values(labels))
	return strings.Join(labels, ",") + ": " + strings.Join(functions, ">")
}

// withoutShapes replaces the type arguments in the name of a generic function
// by three dots, as Pyroscope does in all strings of a profile.
func withoutShapes(s string) string { return shapes.ReplaceAllString(s, "[...]") }

var shapes = regexp.MustCompile(`\[go\.shape\..*\]`)

// read returns the samples of a profile as google/pprof reads them, without
// numeric labels, which Pyroscope does not store.
func read(data []byte) (samples, error) {
	p, err := profile.Parse(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	all := samples{}
	for _, s := range p.Sample {
		var labels, functions []string
		for k, v := range s.Label {
			labels = append(labels, k+"="+withoutShapes(v[0]))
		}
		for _, l := range slices.Backward(s.Location) {
			for _, line := range slices.Backward(l.Line) {
				functions = append(functions, withoutShapes(line.Function.Name))
			}
		}
		all.add(key(labels, functions), s.Value)
	}
	return all, nil
}

// readProto adds samples of a profile in Pyroscope's form.
func (all samples) readProto(p *profilev1.Profile, samples []*profilev1.Sample, labels []*profilev1.Label) {
	text := func(i int64) string { return p.StringTable[i] }
	locations := map[uint64]*profilev1.Location{}
	for _, l := range p.Location {
		locations[l.Id] = l
	}
	functions := map[uint64]*profilev1.Function{}
	for _, f := range p.Function {
		functions[f.Id] = f
	}
	for _, s := range samples {
		var names, pairs []string
		for _, l := range append(slices.Clone(labels), s.Label...) {
			if l.Str != 0 { // not numeric
				pairs = append(pairs, text(l.Key)+"="+text(l.Str))
			}
		}
		for _, id := range slices.Backward(s.LocationId) {
			for _, line := range slices.Backward(locations[id].Line) {
				names = append(names, text(functions[line.FunctionId].Name))
			}
		}
		all.add(key(pairs, names), s.Value)
	}
}

func check(name, file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	want, err := read(data)
	if err != nil {
		return err
	}
	want.dropEmpty()
	raw, err := pprof.RawFromBytes(data)
	if err != nil {
		return err
	}
	raw.Profile = pprof.FixGoProfile(raw.Profile)
	raw.Normalize()
	p := raw.Profile
	normalized := samples{}
	normalized.readProto(p, p.Sample, nil)
	if err := same("normalized", normalized, want); err != nil {
		return err
	}

	// Each group of samples becomes a series with the labels of the group.
	groups := pprof.GroupSamplesWithoutLabels(p, pprof.SpanIDLabelName)
	exporter := pprof.NewSampleExporter(p)
	series := samples{}
	for _, g := range groups {
		exported := exporter.ExportSamples(new(profilev1.Profile), g.Samples)
		text := func(l *profilev1.Label) string { return p.StringTable[l.Key] + "=" + p.StringTable[l.Str] }
		var labels []string
		for _, l := range g.Labels {
			labels = append(labels, text(l))
		}
		one := samples{}
		one.readProto(exported, exported.Sample, nil)
		for k, values := range one {
			own, stack, _ := strings.Cut(k, ": ")
			if own != "" {
				return fmt.Errorf("a sample of a series has the labels %s", own)
			}
			series.add(key(labels, nil)+stack, values)
		}
	}
	if err := same("divided into series", series, want); err != nil {
		return err
	}
	if slices.Contains(groupless, name) && len(groups) != 1 {
		return fmt.Errorf("%d series without labels", len(groups))
	}
	fmt.Printf("%s: %d samples, %d names, %d series\n", name, len(p.Sample), len(p.Function), len(groups))
	return nil
}

// groupless are profiles whose samples have no labels.
var groupless = []string{"refs-labels", "refs-collector"}

// same returns an error unless samples have the same stacks, labels and values.
func same(what string, have, want samples) error {
	var errs []error
	for k, values := range want {
		if !slices.Equal(have[k], values) {
			errs = append(errs, fmt.Errorf("%s: %s has %d, want %d", what, k, have[k], values))
		}
	}
	for k, values := range have {
		if want[k] == nil {
			errs = append(errs, fmt.Errorf("%s: %s has %d, and should not exist", what, k, values))
		}
	}
	if n := len(errs); n > 5 {
		errs = append(errs[:5], fmt.Errorf("%s: and %d more", what, n-5))
	}
	return errors.Join(errs...)
}
