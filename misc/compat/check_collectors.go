// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

// These checks build a collector, give the profiles of a nats-server to
// collectors, or parse a collector's configuration.

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const natsServer = "github.com/nats-io/nats-server/v2@v2.15.2"

// nats builds the server and the program that runs it, and returns their paths.
func (j *job) nats(ctx context.Context) (program, server string, err error) {
	if program, err = j.program(ctx, "nats"); err != nil {
		return "", "", err
	}
	return program, j.path("bin", "nats-server"), j.run(ctx, j.dir, "go", "install", "-p", "2", natsServer)
}

// normalizeProfiles normalizes profiles by Pyroscope's packages.
func normalizeProfiles(ctx context.Context, j *job) error {
	nats, server, err := j.nats(ctx)
	if err != nil {
		return err
	}
	reader, err := j.program(ctx, "pyroscope")
	if err != nil {
		return err
	}
	if err := j.run(ctx, j.dir, nats, server, j.path("profiles")); err != nil {
		return err
	}
	return j.run(ctx, j.dir, reader, j.path("profiles"))
}

// buildParca builds Parca's server. The module has the server without the pages
// for browsers. With the tag purego, the server does not need a table of the
// runtime that Go 1.27 does not have.
func buildParca(pin string) func(context.Context, *job) error {
	return func(ctx context.Context, j *job) error {
		source, err := j.module(ctx, pin)
		if err != nil {
			return err
		}
		return j.run(ctx, source, "go", "build", "-p", "2", "-tags=purego", "-o", j.path("bin", "parca-server"), "./cmd/parca")
	}
}

// scrapeProfiles has Parca's server scrape profiles, with the configuration of
// doc/collectors.md.
func scrapeProfiles(ctx context.Context, j *job) error {
	config, err := documented("object_storage:")
	if err != nil {
		return err
	}
	if err := j.write("parca.yaml", config); err != nil {
		return err
	}
	nats, server, err := j.nats(ctx)
	if err != nil {
		return err
	}
	client, err := j.program(ctx, "parca")
	if err != nil {
		return err
	}
	return j.run(ctx, j.dir, client, j.path("bin", "parca-server"), j.path("parca.yaml"), nats, server)
}

// parseAlloy lets Alloy's package parse the configuration of doc/collectors.md,
// and expects that it collects refs and inuse.
func parseAlloy(ctx context.Context, j *job) error {
	config, err := documented(`pyroscope.scrape "references" {`)
	if err != nil {
		return err
	}
	if err := j.write("config.alloy", config); err != nil {
		return err
	}
	parser, err := j.program(ctx, "alloy")
	if err != nil {
		return err
	}
	out, err := j.output(ctx, j.dir, parser, j.path("config.alloy"))
	if err != nil {
		return err
	}
	return expect(out, `"/debug/pprof/refs"`, `"/debug/pprof/inuse"`)
}

// documented returns the indented text in doc/collectors.md that begins with
// the given line.
func documented(line string) (string, error) {
	file := filepath.Join("..", "..", "doc", "collectors.md")
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	_, rest, ok := strings.Cut(string(text), "\n\t"+line+"\n")
	if !ok {
		return "", fmt.Errorf("%s has no line %q", file, line)
	}
	var b strings.Builder
	b.WriteString(line + "\n")
	for line := range strings.Lines(rest) {
		indented, ok := strings.CutPrefix(line, "\t")
		if !ok {
			break
		}
		b.WriteString(indented)
	}
	return b.String(), nil
}
