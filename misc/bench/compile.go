// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"context"
	"os"
)

// A compile benchmark builds packages and their dependencies, including the
// standard library, into an empty build cache. It measures the time of the go
// command and of all tools that it runs, on all processors, and the memory of
// the largest of these processes. The packages' modules are downloaded before
// the measurement.
type compile struct{ target }

var std = target{"", "std"}

func (c compile) benchmark(name, doc string) benchmark {
	return benchmark{
		name:  name,
		doc:   doc,
		slow:  true,
		build: c.download,
		measure: func(ctx context.Context, s *side) ([]measurement, error) {
			used, err := c.measure(ctx, s)
			if err != nil {
				return nil, err
			}
			return []measurement{single(name, used.values(1)...)}, nil
		},
	}
}

func (c compile) download(ctx context.Context, s *side) error {
	return runQuiet(s.goCommand(ctx, c.dir, "list", "-deps", c.pkg))
}

func (c compile) measure(ctx context.Context, s *side) (usage, error) {
	cache, err := os.MkdirTemp(s.dir, "gocache")
	if err != nil {
		return usage{}, err
	}
	defer os.RemoveAll(cache)
	cmd := s.goCommand(ctx, c.dir, "build", "-o", os.DevNull, c.pkg)
	cmd.Env = append(cmd.Env, "GOCACHE="+cache)
	return runMeasured(cmd)
}
