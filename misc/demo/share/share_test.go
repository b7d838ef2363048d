// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
)

func TestGap(t *testing.T) {
	tests := []struct {
		root, typ, path string // slashes separate the elements
		want            gap
		loss            string
	}{
		{"global", "app.T", "app.v/app.T.f *app.U", noGap, "app.T.f *app.U"},
		{"stack", "string", "main.main/main.main.(slot-0x8)", noGap, "main.main.(slot-0x8)"},
		{"barrier", "app.T", "(write barrier)", noRoot, "(write barrier)"},
		{"allocated", unknown, "(allocated during GC)", noRoot, "(allocated during GC)"},
		{"global", "app.T", "app..stmp_12/app.T.f *app.U", noRoot, "app..stmp_12"},
		{"global", "app.T", "main(bss+0x1f0)/app.T.f *app.U", noRoot, "main(bss+0x1f0)"},
		{"global", "app.T", "app.stmp_12", noGap, "app.stmp_12"},
		{"global", unknown, "app.v/app.T.f unsafe.Pointer", noType, "app.T.f unsafe.Pointer"},
		{"global", "", "app.v", noType, "app.v"},
		{"global", "app.T", "app.v/app.T.f (unknown)/app.T.g *app.U", noTypePath, "app.v"},
		{"global", unknown, "(unknown)", noTypePath, "(unknown)"},
	}
	for _, test := range tests {
		s := sample{root: test.root, typ: test.typ, path: strings.Split(test.path, "/"), bytes: 8}
		if got := s.gap(); got != test.want || s.loss() != test.loss {
			t.Errorf("%s %s: gap %q at %q, want %q at %q", test.root, test.path, got, s.loss(), test.want, test.loss)
		}
	}
}

func TestMost(t *testing.T) {
	var parts []part
	for _, bytes := range []int64{50, 30, 15, 4, 1} {
		parts = append(parts, part{"", []sample{{bytes: bytes}}})
	}
	for share, want := range map[float64]int{0.5: 1, 0.51: 2, 0.9: 3, 0.99: 4, 1: 5} {
		if got := most(parts, share); got != want {
			t.Errorf("%v of the bytes are in %d parts, want %d", share, got, want)
		}
	}
	if got := most(nil, 0.9); got != 0 {
		t.Errorf("of no parts %d are needed", got)
	}
}

// writeRefs writes a profile with a sample for each of samples.
func writeRefs(t *testing.T, sampleType string, samples []sample) string {
	t.Helper()
	p := &profile.Profile{SampleType: []*profile.ValueType{{Type: "live_objects"}, {Type: sampleType}}}
	for _, s := range samples {
		var stack []*profile.Location
		for _, name := range s.path {
			f := &profile.Function{ID: uint64(len(p.Function) + 1), Name: name}
			l := &profile.Location{ID: f.ID, Line: []profile.Line{{Function: f}}}
			p.Function, p.Location = append(p.Function, f), append(p.Location, l)
			stack = append([]*profile.Location{l}, stack...)
		}
		p.Sample = append(p.Sample, &profile.Sample{
			Location: stack,
			Value:    []int64{s.objects, s.bytes},
			Label:    map[string][]string{"root": {s.root}, "type": {s.typ}},
		})
	}
	file := filepath.Join(t.TempDir(), "refs.pb.gz")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(p.Write(f), f.Close()); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestReport(t *testing.T) {
	file := writeRefs(t, "live_space", []sample{
		{"global", "app.T", []string{"app.v"}, 1, 600},
		{"global", unknown, []string{"app.v", "app.T.f unsafe.Pointer"}, 2, 200},
		{"stack", "[]uint8", []string{"main.main", "main.main.(slot-0x8)"}, 3, 150},
		{"allocated", unknown, []string{"(allocated during GC)"}, 4, 50},
	})
	p, err := read(file)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	report(&got, parse(p))
	const want = `
       bytes   share   known no root no type no type  root
                                             on path
         800  80.00%  75.00%   0.00%  25.00%   0.00%  global
         150  15.00% 100.00%   0.00%   0.00%   0.00%  stack
          50   5.00%   0.00% 100.00%   0.00%   0.00%  allocated
        1000 100.00%  75.00%   5.00%  20.00%   0.00%  all

4 paths; 90% of the bytes are in 3, 99% in 4

the largest of 2 parts that are not known, and the largest path of each:
         200  20.00%  global, no type: app.T.f unsafe.Pointer
         200  20.00%      app.v
                          app.T.f unsafe.Pointer
                          type (unknown)
          50   5.00%  allocated, no root: (allocated during GC)
          50   5.00%      (allocated during GC)
                          type (unknown)
`
	if "\n"+got.String() != want {
		t.Errorf("report:\n%s\nwant%s", got.String(), want)
	}
}

func TestReadOther(t *testing.T) {
	if _, err := read(writeRefs(t, "inuse_space", nil)); err == nil || !strings.Contains(err.Error(), "live_space") {
		t.Errorf("a heap profile is read with error %v, want one that says live_space", err)
	}
	if _, err := read(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}
