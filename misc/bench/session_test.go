// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"context"
	"io"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/perf/benchfmt"
)

// TestWithoutValgrind runs all benchmarks that do nothing but count
// instructions, with a PATH in which there is no valgrind. They have no rows,
// and the benchmarks after them run.
func TestWithoutValgrind(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	goroot := t.TempDir()
	writeFile(t, "", goroot, "bin", "go") // fails if a benchmark runs it
	writeFile(t, "go1.2.3\n", goroot, "VERSION")
	o := &options{goroot: goroot, upstream: goroot, out: filepath.Join(t.TempDir(), "out"), count: 2}
	s, err := newSession(t.Context(), o, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()

	var chosen []benchmark
	for _, suite := range suites() {
		if suite.name == "Tool" {
			chosen = suite.benchmarks
		}
	}
	if len(chosen) == 0 {
		t.Fatal("there is no suite Tool")
	}
	if err := s.run(t.Context(), chosen); err == nil {
		t.Error("a run without a measurement succeeded")
	}

	chosen = append(chosen, benchmark{
		name:  "Size/program",
		build: func(context.Context, *side) error { return nil },
		measure: func(context.Context, *side) ([]measurement, error) {
			return []measurement{single("Size/program", benchfmt.Value{Value: 1, Unit: "binary-bytes"})}, nil
		},
	})
	if err := s.run(t.Context(), chosen); err != nil {
		t.Fatal(err)
	}
	if want := []figure{{"Size/program", "binary-bytes"}}; !slices.Equal(s.results.order, want) {
		t.Errorf("there are rows of %v, want %v", s.results.order, want)
	}
	for _, values := range s.results.values[figure{"Size/program", "binary-bytes"}] {
		if len(values) != o.count {
			t.Errorf("there are %d values of a side, want %d", len(values), o.count)
		}
	}
}
