// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

// These checks build and run programs, most of them from programs/.

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
)

const speedscope = "npm speedscope@1.25.0"

// readProfiles builds two programs with the side's toolchain. One writes all
// profiles that its runtime has, and the other reads them.
func readProfiles(ctx context.Context, j *job) error {
	writer, err := j.program(ctx, "profiles")
	if err != nil {
		return err
	}
	reader, err := j.program(ctx, "readers")
	if err != nil {
		return err
	}
	if err := j.run(ctx, j.dir, writer, j.path("profiles")); err != nil {
		return err
	}
	return j.run(ctx, j.dir, reader, j.path("profiles"))
}

// importProfiles has speedscope read the files that readProfiles has left.
func importProfiles(ctx context.Context, j *job) error {
	for _, program := range []string{"node", "npm"} {
		if err := needs(program); err != nil {
			return err
		}
	}
	if err := j.run(ctx, j.dir, "npm", "install", "--silent", "--ignore-scripts", "--prefix", j.path("npm"), strings.TrimPrefix(speedscope, "npm ")); err != nil {
		return err
	}
	bundles, err := filepath.Glob(j.path("npm", "node_modules", "speedscope", "dist", "release", "speedscope-*.js"))
	if err != nil || len(bundles) != 1 {
		return fmt.Errorf("the bundle of speedscope: %v, %v", bundles, err)
	}
	script, err := filepath.Abs(filepath.Join("programs", "speedscope", "import.js"))
	if err != nil {
		return err
	}
	return j.run(ctx, j.dir, "node", script, bundles[0], j.path("profiles"))
}

// openPlugin builds a plugin and the program that opens it.
func openPlugin(ctx context.Context, j *job) error {
	if err := needs("gcc"); err != nil {
		return err
	}
	source, err := filepath.Abs(filepath.Join("programs", "plugin"))
	if err != nil {
		return err
	}
	if err := j.run(ctx, source, "go", "build", "-buildmode=plugin", "-o", j.path("part.so"), "./part"); err != nil {
		return err
	}
	host, err := j.program(ctx, "plugin")
	if err != nil {
		return err
	}
	return j.run(ctx, j.dir, host, j.path("part.so"))
}

// callShared builds a C library in Go, and a C program that calls it.
func callShared(ctx context.Context, j *job) error {
	if err := needs("gcc"); err != nil {
		return err
	}
	source, err := filepath.Abs(filepath.Join("programs", "plugin"))
	if err != nil {
		return err
	}
	if err := j.run(ctx, source, "go", "build", "-buildmode=c-shared", "-o", j.path("shared.so"), "./shared"); err != nil {
		return err
	}
	if err := j.run(ctx, source, "gcc", "-o", j.path("bin", "host"), "host.c", "-ldl", "-lpthread"); err != nil {
		return err
	}
	return j.run(ctx, j.dir, j.path("bin", "host"), j.path("shared.so"))
}

// sqlite builds programs/sqlite with one of the drivers and runs it.
func sqlite(flags ...string) func(context.Context, *job) error {
	return func(ctx context.Context, j *job) error {
		file, err := j.program(ctx, "sqlite", flags...)
		if err != nil {
			return err
		}
		return j.run(ctx, j.dir, file)
	}
}

// bundle has esbuild make one file from two.
func bundle(ctx context.Context, j *job) error {
	if err := j.write("a.ts", "import { double } from './b'\nconst n: number = 21\nconsole.log('answer', double(n))\n"); err != nil {
		return err
	}
	if err := j.write("b.ts", "export const double = (n: number): number => 2 * n\nexport const unused = 'not in the bundle'\n"); err != nil {
		return err
	}
	out, err := j.output(ctx, j.dir, "esbuild", "--bundle", j.path("a.ts"))
	if err != nil {
		return err
	}
	if strings.Contains(out, "not in the bundle") {
		return fmt.Errorf("the bundle has what nothing uses")
	}
	return expect(out, `console.log("answer", double(n))`, "2 * n")
}

// buildEbitengine builds a game for Windows, where Ebitengine needs no C
// compiler.
func buildEbitengine(ctx context.Context, j *job) error {
	dir, err := j.module(ctx, "github.com/hajimehoshi/ebiten/v2@v2.8.8")
	if err != nil {
		return err
	}
	return j.run(ctx, dir, "env", "GOOS=windows", "go", "build", "-p", "2", "-o", j.path("flappy.exe"), "./examples/flappy")
}
