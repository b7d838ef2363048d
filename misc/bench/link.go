// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/perf/benchfmt"
)

// A target is a program or package that the go command builds. A server is in a
// module of its own, whose go.mod pins it.
type target struct {
	dir string // folder of the go.mod, or "" for this module
	pkg string
}

var (
	nats  = target{filepath.Join("servers", "nats"), "github.com/nats-io/nats-server/v2"}
	caddy = target{filepath.Join("servers", "caddy"), "github.com/caddyserver/caddy/v2/cmd/caddy"}
	hello = target{"", "./programs/hello"}
)

// A link benchmark links a program whose packages are all in the build cache:
// the go command links if the executable does not exist. The benchmark measures
// the linker's own time and memory (record.go), and the executable's size.
type link struct {
	target
	ldflags string
}

func (l link) benchmark(name, doc string) benchmark {
	return benchmark{
		name:  name,
		doc:   doc,
		build: l.compile,
		measure: func(ctx context.Context, s *side) ([]measurement, error) {
			values, err := l.measure(ctx, s)
			if err != nil {
				return nil, fmt.Errorf("linking %s: %w", l.pkg, err)
			}
			return []measurement{single(name, values...)}, nil
		},
	}
}

func (l link) compile(ctx context.Context, s *side) error {
	return l.link(ctx, s, "")
}

func (l link) measure(ctx context.Context, s *side) ([]benchfmt.Value, error) {
	record := s.path("linked.json")
	defer os.Remove(record)
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if err := l.link(ctx, s, fmt.Sprintf("-toolexec=%q %s %q", self, recordCommand, record)); err != nil {
		return nil, err
	}
	run, err := onlyRun(record, "link")
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(l.output(s))
	if err != nil {
		return nil, err
	}
	values := usage{run.Wall, run.CPU, run.Peak}.values(1)
	return append(values, benchfmt.Value{Value: float64(info.Size()), Unit: "binary-bytes"}), nil
}

func (l link) output(s *side) string { return s.path("linked") }

// link makes a new executable, with an additional flag unless that is empty.
func (l link) link(ctx context.Context, s *side, flag string) error {
	if err := os.RemoveAll(l.output(s)); err != nil {
		return err
	}
	args := []string{"build", "-o", l.output(s), "-ldflags=" + l.ldflags}
	if flag != "" {
		args = append(args, flag)
	}
	return runQuiet(s.goCommand(ctx, l.dir, append(args, l.pkg)...))
}
