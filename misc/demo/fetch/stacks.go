// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"errors"
	"regexp"
	"strconv"

	"github.com/google/pprof/profile"

	"gorefs/misc/demo/saved"
)

var errNoStackSpace = errors.New("the goroutine profile has no sample type stack_space: the toolchain that built the program does not know it")

// stackSpace adds up the stack_space of all samples of a goroutine profile.
func stackSpace(file string) (int64, error) {
	p, err := saved.Read(file)
	if err != nil {
		return 0, err
	}
	for i, t := range p.SampleType {
		if t.Type == "stack_space" {
			return sum(p, i), nil
		}
	}
	return 0, errNoStackSpace
}

func sum(p *profile.Profile, value int) int64 {
	var total int64
	for _, s := range p.Sample {
		total += s.Value[value]
	}
	return total
}

// stackLine matches the line Stack at the end of the heap profile's text form,
// which has the fields of runtime.MemStats there. The first number of the line,
// StackInuse, is the metric /memory/classes/heap/stacks:bytes.
var stackLine = regexp.MustCompile(`(?m)^# Stack = (\d+) / \d+$`)

func (s source) stackMetric() (int64, error) {
	text, err := s.get("heap?debug=1")
	if err != nil {
		return 0, err
	}
	m := stackLine.FindSubmatch(text)
	if m == nil {
		return 0, errors.New("the heap profile's text has no line \"# Stack = \"")
	}
	return strconv.ParseInt(string(m[1]), 10, 64)
}
