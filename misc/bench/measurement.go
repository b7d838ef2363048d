// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// A measurement is the result of one run of a benchmark, which is one line of
// the Go benchmark format. Units are benchstat's, without prefixes: seconds,
// bytes.
type measurement struct {
	name   string // without the word Benchmark
	iters  int
	values []benchfmt.Value
}

// single returns the measurement of a run whose values are already for one
// operation.
func single(name string, values ...benchfmt.Value) measurement {
	return measurement{name: name, iters: 1, values: values}
}

// parseValues reads lines of VALUE UNIT, which our programs print with the
// values that they measure themselves.
func parseValues(output string) ([]benchfmt.Value, error) {
	var values []benchfmt.Value
	for line := range strings.Lines(output) {
		fields := strings.Fields(line)
		if len(fields) != 2 {
			return nil, fmt.Errorf("want VALUE UNIT, have %q", line)
		}
		value, err := strconv.ParseFloat(fields[0], 64)
		if err != nil {
			return nil, fmt.Errorf("want VALUE UNIT, have %q", line)
		}
		values = append(values, benchfmt.Value{Value: value, Unit: fields[1]})
	}
	return values, nil
}
