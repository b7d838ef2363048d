// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"

	"golang.org/x/perf/benchfmt"
)

// A goTest benchmark runs some of the benchmarks in the tests of a package of
// the standard library. Each side runs those of its own source. One run of the
// test binary gives many measurements.
type goTest struct {
	pkg     string // import path
	pattern string // for -test.bench
}

func (g goTest) benchmark(suite, name, doc string) benchmark {
	return benchmark{
		name:  suite + "/" + name,
		doc:   doc,
		build: g.build,
		measure: func(ctx context.Context, s *side) ([]measurement, error) {
			return g.measure(ctx, s, suite)
		},
	}
}

func (g goTest) binary() string { return path.Base(g.pkg) + ".test" }

func (g goTest) build(ctx context.Context, s *side) error {
	return s.once(g.binary(), func(file string) error {
		return runQuiet(s.goCommand(ctx, "", "test", "-c", "-o", file, g.pkg))
	})
}

func (g goTest) measure(ctx context.Context, s *side, suite string) ([]measurement, error) {
	cmd := s.program(ctx, s.path(g.binary()), nil,
		"-test.run=^$", "-test.bench="+g.pattern, "-test.benchtime=200ms")
	cmd.Dir = filepath.Join(s.goroot, "src", filepath.FromSlash(g.pkg))
	var output bytes.Buffer
	cmd.Stdout = &output
	if _, err := runMeasured(cmd); err != nil {
		return nil, err
	}
	found, err := parseBenchmarks(&output, suite)
	if err == nil && len(found) == 0 {
		err = errors.New("no such benchmarks")
	}
	if err != nil {
		return nil, fmt.Errorf("%s -bench=%s: %w", g.pkg, g.pattern, err)
	}
	return found, nil
}

// parseBenchmarks reads the output of a test binary. It puts the suite's name
// before the benchmarks' own names.
func parseBenchmarks(output *bytes.Buffer, suite string) ([]measurement, error) {
	var found []measurement
	reader := benchfmt.NewReader(output, "")
	for reader.Scan() {
		switch record := reader.Result().(type) {
		case *benchfmt.Result:
			result := record.Clone()
			found = append(found, measurement{suite + "/" + string(result.Name), result.Iters, result.Values})
		case *benchfmt.SyntaxError:
			return nil, record
		}
	}
	return found, reader.Err()
}
