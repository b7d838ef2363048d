// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// A tool benchmark counts the instructions of one run of the compiler or the
// linker, without the go command. The compiled packages that the tool reads are
// in the build cache. Without valgrind there is nothing to count, and the
// benchmark has no measurements.
type tool struct {
	target
	// arguments returns the tool's name and arguments. config is a file
	// that names the compiled packages, and out is the file to write.
	arguments func(ctx context.Context, t tool, s *side, config, out string) ([]string, error)
}

func (t tool) benchmark(name, doc string) benchmark {
	return benchmark{
		name:  name,
		doc:   doc,
		build: t.writeConfig,
		measure: func(ctx context.Context, s *side) ([]measurement, error) {
			if !haveValgrind() {
				return nil, nil
			}
			args, err := t.arguments(ctx, t, s, t.config(s), s.path("tool.out"))
			if err != nil {
				return nil, err
			}
			n, err := countInstructions(ctx, s, args[0], args[1:]...)
			return []measurement{single(name, benchfmt.Value{Value: float64(n), Unit: "instructions/op"})}, err
		},
	}
}

func (t tool) config(s *side) string {
	return s.path("tool." + strings.ReplaceAll(filepath.ToSlash(t.pkg), "/", "_"))
}

// writeConfig compiles the package and those that it imports, and writes the
// file for the flag -importcfg, unless there is no valgrind.
func (t tool) writeConfig(ctx context.Context, s *side) error {
	if !haveValgrind() {
		return nil
	}
	out, err := s.goCommand(ctx, t.dir, "list", "-deps", "-export", "-f", "{{if .Export}}packagefile {{.ImportPath}}={{.Export}}{{end}}", t.pkg).Output()
	if err != nil {
		return describe(err)
	}
	return os.WriteFile(t.config(s), out, 0o666)
}

// list returns what the template makes of the package.
func (t tool) list(ctx context.Context, s *side, template string) (string, error) {
	out, err := s.goCommand(ctx, t.dir, "list", "-export", "-f", template, t.pkg).Output()
	if err != nil {
		return "", describe(err)
	}
	return strings.TrimSpace(string(out)), nil
}

func (t tool) path(ctx context.Context, s *side, name string) (string, error) {
	out, err := s.goCommand(ctx, t.dir, "tool", "-n", name).Output()
	return strings.TrimSpace(string(out)), describe(err)
}

// compileArguments returns the compiler and the arguments with which it
// compiles a package of the standard library, with one worker.
func compileArguments(ctx context.Context, t tool, s *side, config, out string) ([]string, error) {
	file, err := t.path(ctx, s, "compile")
	if err != nil {
		return nil, err
	}
	sources, err := t.list(ctx, s, `{{$dir := .Dir}}{{range .GoFiles}}{{$dir}}/{{.}} {{end}}`)
	if err != nil {
		return nil, err
	}
	args := []string{file, "-o", out, "-p", t.pkg, "-std", "-complete", "-c=1", "-pack", "-importcfg", config}
	return append(args, strings.Fields(sources)...), nil
}

// linkArguments returns the linker and the arguments with which it links a
// program.
func linkArguments(ctx context.Context, t tool, s *side, config, out string) ([]string, error) {
	file, err := t.path(ctx, s, "link")
	if err != nil {
		return nil, err
	}
	object, err := t.list(ctx, s, "{{.Export}}")
	return []string{file, "-o", out, "-buildmode=exe", "-importcfg", config, object}, err
}
