// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// A session runs benchmarks on both sides in turns and keeps their
// measurements: at once in the raw files of the output folder, and in results
// for the table.
type session struct {
	sides    []*side // upstream, fork
	raw      []*rawFile
	results  *results
	count    int
	out      string
	scratch  string // has both sides' folders; removed when the session is closed
	progress io.Writer
}

func newSession(ctx context.Context, o *options, progress io.Writer) (_ *session, err error) {
	s := &session{count: o.count, out: o.out, progress: progress, results: newResults()}
	if s.scratch, err = os.MkdirTemp("", "gorefs-bench"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	if err := s.findSides(ctx, o); err != nil {
		return nil, err
	}
	if err := s.openRaw(); err != nil {
		return nil, err
	}
	if !haveValgrind() {
		fmt.Fprintln(progress, "valgrind is not installed: instructions are left out (Debian package: valgrind)")
	}
	return s, nil
}

// findSides finds both toolchains, and makes a folder in scratch for each side.
// The names of these two folders have the same length, so that the programs
// built there start with stacks of the same size.
func (s *session) findSides(ctx context.Context, o *options) error {
	fork, err := newSide("fork", o.goroot, filepath.Join(s.scratch, "side1"),
		"build it with ./make.bash, or name another with -goroot")
	if err != nil {
		return err
	}
	goroot := o.upstream
	if goroot == "" {
		version, err := pinnedVersion(filepath.Join("..", ".."))
		if err != nil {
			return err
		}
		if goroot, err = findUpstream(ctx, version); err != nil {
			return err
		}
	}
	upstream, err := newSide("upstream", goroot, filepath.Join(s.scratch, "side0"),
		"-upstream names no GOROOT")
	if err != nil {
		return err
	}
	s.sides = []*side{upstream, fork}
	return nil
}

func (s *session) openRaw() error {
	if err := os.MkdirAll(s.out, 0o777); err != nil {
		return err
	}
	for _, side := range s.sides {
		raw, err := createRawFile(s.out, side)
		if errors.Is(err, os.ErrExist) {
			return fmt.Errorf("%s holds measurements already; name another folder with -o", s.out)
		}
		if err != nil {
			return err
		}
		s.raw = append(s.raw, raw)
	}
	return nil
}

// close removes everything except an output folder that has measurements.
func (s *session) close() {
	for _, raw := range s.raw {
		raw.close()
		if s.results.empty() {
			os.Remove(raw.file.Name())
		}
	}
	os.Remove(s.out) // fails unless the folder is empty
	os.RemoveAll(s.scratch)
}

// run runs the chosen benchmarks. If none of them has a measurement, that is an
// error.
func (s *session) run(ctx context.Context, chosen []benchmark) error {
	for i, b := range chosen {
		start := time.Now()
		fmt.Fprintf(s.progress, "%d/%d %s", i+1, len(chosen), b.name)
		err := s.runOne(ctx, b)
		fmt.Fprintf(s.progress, " %.1fs\n", time.Since(start).Seconds())
		if ctx.Err() != nil {
			return errors.New("interrupted")
		}
		if err != nil {
			return fmt.Errorf("%s: %w", b.name, err)
		}
	}
	if s.results.empty() {
		return errors.New("the chosen benchmarks have no measurements here")
	}
	return nil
}

// runOne builds a benchmark on both sides, then measures it on each in turn.
func (s *session) runOne(ctx context.Context, b benchmark) error {
	for _, side := range s.sides {
		if err := b.build(ctx, side); err != nil {
			return fmt.Errorf("building with %s's toolchain: %w", side.name, err)
		}
	}
	for range s.count {
		for i, side := range s.sides {
			found, err := b.measure(ctx, side)
			if err != nil {
				return fmt.Errorf("%s: %w", side.name, err)
			}
			if err := s.keep(i, found); err != nil {
				return err
			}
		}
		fmt.Fprint(s.progress, ".")
	}
	return nil
}

func (s *session) keep(side int, found []measurement) error {
	for _, m := range found {
		if len(m.values) == 0 {
			continue
		}
		if err := s.raw[side].write(m); err != nil {
			return err
		}
		s.results.add(side, m)
	}
	return nil
}

// report writes the table into the output folder in both forms, and prints it
// in one form.
func (s *session) report(stdout io.Writer, markdown bool) error {
	rows := s.results.rows()
	if len(rows) == 0 {
		return nil
	}
	t := newTable(rows, s.sides[0].version, s.sides[1].version)
	text, marked := t.text(), t.markdown()
	if err := os.WriteFile(filepath.Join(s.out, "table.txt"), []byte(text), 0o666); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(s.out, "table.md"), []byte(marked), 0o666); err != nil {
		return err
	}
	fmt.Fprintln(s.progress, "raw measurements: benchstat", filepath.Join(s.out, "upstream.txt"), filepath.Join(s.out, "fork.txt"))
	if markdown {
		text = marked
	}
	_, err := io.WriteString(stdout, text)
	return err
}
