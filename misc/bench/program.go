// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"context"
	"fmt"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// buildProgram returns a function that builds programs/NAME, with additions to
// the environment. The file has the same name and is in the side's folder. All
// benchmarks that run the program share it.
func buildProgram(name string, env ...string) func(context.Context, *side) error {
	return buildTarget(target{"", "./programs/" + name}, name, env...)
}

// buildTarget is buildProgram for a program that may be in another module.
func buildTarget(t target, name string, env ...string) func(context.Context, *side) error {
	return func(ctx context.Context, s *side) error {
		return s.once(name, func(file string) error {
			cmd := s.goCommand(ctx, t.dir, "build", "-tags="+s.tags(), "-o", file, t.pkg)
			cmd.Env = append(cmd.Env, env...)
			return runQuiet(cmd)
		})
	}
}

// A printing benchmark is a program of this folder that prints its own
// measurements, in the form that parseValues reads. extra adds values that are
// measured from outside.
type printing struct {
	commandLine string
	extra       func(usage) []benchfmt.Value
}

func (p printing) benchmark(name, doc string) benchmark {
	words := strings.Fields(p.commandLine)
	return benchmark{
		name:  name,
		doc:   doc,
		build: buildProgram(words[0]),
		measure: func(ctx context.Context, s *side) ([]measurement, error) {
			values, err := p.measure(ctx, s, words[0], words[1:])
			return []measurement{single(name, values...)}, err
		},
	}
}

func (p printing) measure(ctx context.Context, s *side, program string, args []string) ([]benchfmt.Value, error) {
	cmd := s.program(ctx, s.path(program), nil, args...)
	var output strings.Builder
	cmd.Stdout = &output
	used, err := runMeasured(cmd)
	if err != nil {
		return nil, err
	}
	values, err := parseValues(output.String())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.commandLine, err)
	}
	return append(values, p.extra(used)...), nil
}

func nothingMore(usage) []benchfmt.Value  { return nil }
func peakMemory(u usage) []benchfmt.Value { return u.peakValue() }
func wholeUsage(u usage) []benchfmt.Value { return u.values(1) }
