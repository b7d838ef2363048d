// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// A job is an entry's checks with one toolchain, in a temporary folder.
type job struct {
	side  *side
	entry entry
	dir   string
	log   bytes.Buffer  // output of the running check
	cpu   time.Duration // of the check's commands and their children
}

func (j *job) prepare() error { return os.MkdirAll(j.path("bin"), 0o777) }

func (j *job) path(elem ...string) string {
	return filepath.Join(append([]string{j.dir}, elem...)...)
}

// readable returns the log with $WORK and $GOROOT in place of the job's folder
// and the toolchain's.
func (j *job) readable() string {
	return strings.NewReplacer(j.dir, "$WORK", j.side.goroot, "$GOROOT").Replace(j.log.String())
}

func (j *job) logf(format string, args ...any) { fmt.Fprintf(&j.log, format+"\n", args...) }

// run runs a command in dir. PATH has the side's go command and the programs
// that the entry has installed. The output goes to the log.
func (j *job) run(ctx context.Context, dir, name string, args ...string) error {
	_, err := j.output(ctx, dir, name, args...)
	return err
}

// output does what run does, and also returns the command's output.
func (j *job) output(ctx context.Context, dir, name string, args ...string) (string, error) {
	j.logf("$ %s %s", name, strings.Join(args, " "))
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, j.find(name), args...)
	cmd.Dir = dir
	cmd.Env = append(j.side.env(j.path("bin")), "PWD="+dir)
	cmd.Stdout = io.MultiWriter(&out, &j.log)
	cmd.Stderr = cmd.Stdout
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second
	err := cmd.Run()
	if p := cmd.ProcessState; p != nil {
		j.cpu += p.UserTime() + p.SystemTime()
	}
	if ctx.Err() != nil {
		err = fmt.Errorf("ended after its time: %w", context.Cause(ctx))
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", filepath.Base(name), err)
	}
	return out.String(), err
}

// find returns the path of a program that the entry has installed or that is in
// the side's bin folder. It returns any other name unchanged: exec looks it up
// in PATH.
func (j *job) find(name string) string {
	for _, dir := range []string{j.path("bin"), filepath.Join(j.side.goroot, "bin")} {
		if path := filepath.Join(dir, name); !filepath.IsAbs(name) && isFile(path) {
			return path
		}
	}
	return name
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// needs returns an error that wraps errMissing unless the program is in PATH.
func needs(program string) error {
	if _, err := exec.LookPath(program); err != nil {
		return fmt.Errorf("%s: %w", program, errMissing)
	}
	return nil
}

// moduleDir returns the folder of a module in the module cache.
func (j *job) moduleDir(ctx context.Context, pin string) (string, error) {
	cmd := exec.CommandContext(ctx, j.find("go"), "mod", "download", "-json", pin)
	cmd.Dir = j.dir
	cmd.Env = j.side.env(j.path("bin"))
	out, err := cmd.Output()
	var m struct{ Dir, Error string }
	if err := json.Unmarshal(out, &m); err == nil && m.Error != "" {
		return "", errors.New(m.Error)
	}
	if err != nil {
		return "", fmt.Errorf("go mod download %s: %w", pin, err)
	}
	return m.Dir, nil
}

// module returns the copy of a module in a folder of the job, where the
// module's tests can write. It makes the copy if there is none.
func (j *job) module(ctx context.Context, pin string) (string, error) {
	path, _, _ := strings.Cut(pin, "@")
	dir := j.path("modules", filepath.FromSlash(path))
	if isFile(filepath.Join(dir, "go.mod")) {
		return dir, nil
	}
	from, err := j.moduleDir(ctx, pin)
	if err != nil {
		return "", err
	}
	return dir, os.CopyFS(dir, os.DirFS(from))
}

// program builds a program of programs/ and returns its path.
func (j *job) program(ctx context.Context, name string, flags ...string) (string, error) {
	source, err := filepath.Abs(filepath.Join("programs", name))
	if err != nil {
		return "", err
	}
	file := j.path("bin", strings.ReplaceAll(name, "/", "-"))
	args := append([]string{"build", "-p", "2", "-o", file}, flags...)
	return file, j.run(ctx, source, "go", append(args, ".")...)
}

// write writes a file in the job's folder.
func (j *job) write(name, text string) error {
	file := j.path(name)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(text), 0o666)
}

// expect returns an error unless the output has each of the texts.
func expect(output string, texts ...string) error {
	for _, text := range texts {
		if !strings.Contains(output, text) {
			return fmt.Errorf("the output lacks %q", text)
		}
	}
	return nil
}
