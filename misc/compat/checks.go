// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"context"
	"path"
	"regexp"
	"strings"
)

// Most entries consist of these kinds of checks.

// installs builds and installs programs at the given path@version by go
// install.
func installs(pins ...string) check {
	return check{name: "builds", run: func(ctx context.Context, j *job) error {
		for _, pin := range pins {
			if err := j.run(ctx, j.dir, "go", "install", "-p", "2", pin); err != nil {
				return err
			}
		}
		return nil
	}}
}

// tests runs the tests of packages of a module, in a copy of it, with the
// dependencies that its own go.mod and go.sum pin. Flags precede packages.
func tests(pin string, flagsAndPackages ...string) check {
	return check{name: "tests of " + packageNames(pin, flagsAndPackages), run: func(ctx context.Context, j *job) error {
		dir, err := j.module(ctx, pin)
		if err != nil {
			return err
		}
		return j.test(ctx, dir, flagsAndPackages...)
	}}
}

func (j *job) test(ctx context.Context, dir string, flagsAndPackages ...string) error {
	args := []string{"test", "-p", "2", "-short", "-count=1", "-vet=off", "-timeout=30m"}
	return j.run(ctx, dir, "go", append(args, flagsAndPackages...)...)
}

// packageNames returns the names of packages. Each begins with the last element
// of the module's path that is not a major version.
func packageNames(pin string, flagsAndPackages []string) string {
	modulePath, _, _ := strings.Cut(pin, "@")
	base := path.Base(modulePath)
	if majorRE.MatchString(base) {
		base = path.Base(path.Dir(modulePath))
	}
	var names []string
	for _, arg := range flagsAndPackages {
		if !strings.HasPrefix(arg, "-") {
			names = append(names, base+strings.TrimPrefix(arg, "."))
		}
	}
	return strings.Join(names, " ")
}

var majorRE = regexp.MustCompile(`^v[0-9]+$`)

// builds compiles packages of a module, tests excluded.
func builds(pin string, packages ...string) check {
	return check{name: "builds " + packageNames(pin, packages), run: func(ctx context.Context, j *job) error {
		dir, err := j.module(ctx, pin)
		if err != nil {
			return err
		}
		return j.run(ctx, dir, "go", append([]string{"build", "-p", "2"}, packages...)...)
	}}
}

// runs runs an installed program and expects the texts in its output.
func runs(program, args string, texts ...string) check {
	return check{name: program + " runs", run: func(ctx context.Context, j *job) error {
		out, err := j.output(ctx, j.dir, program, strings.Fields(args)...)
		if err != nil {
			return err
		}
		return expect(out, texts...)
	}}
}

// ours builds and runs a program of programs/. The program exits with an error
// if a check of its own fails.
func ours(name, does string, args ...string) check {
	return check{name: does, run: func(ctx context.Context, j *job) error {
		file, err := j.program(ctx, name)
		if err != nil {
			return err
		}
		return j.run(ctx, j.dir, file, args...)
	}}
}

// custom returns a check with a function of its own.
func custom(name string, run func(ctx context.Context, j *job) error) check {
	return check{name: name, run: run}
}
