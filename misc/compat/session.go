// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"time"
)

// A verdict is the result of a check with both toolchains.
type verdict string

const (
	passed  verdict = "ok"
	failed  verdict = "FAILED"    // passes with upstream only, or needs what only gorefs has
	both    verdict = "both fail" // so it is not gorefs' failure
	missing verdict = "skipped"   // the machine does not have something that the check needs
	notRun  verdict = "not run"   // only in records

	unsteady verdict = "unsteady" // failed with gorefs, and then passed
)

// An outcome is the result of a check with one toolchain.
type outcome struct {
	ran  bool
	err  error
	took time.Duration
	cpu  time.Duration
	log  string
}

func (o outcome) String() string {
	switch {
	case !o.ran:
		return "not run"
	case o.err != nil:
		return "fails"
	}
	return "ok"
}

// A result has the outcomes of a check.
type result struct {
	entry          entry
	check          check
	fork, upstream outcome
	again          outcome // with gorefs, after a failure that upstream does not have
}

// verdict returns the verdict. It needs upstream's outcome only if gorefs'
// outcome is an error.
func (r result) verdict() verdict {
	switch {
	case r.fork.err == nil:
		return passed
	case errors.Is(r.fork.err, errMissing):
		return missing
	case r.upstream.ran && r.upstream.err != nil && !r.check.alone:
		return both
	case r.again.ran && r.again.err == nil:
		return unsteady
	}
	return failed
}

func count(results []result, v verdict) int {
	n := 0
	for _, r := range results {
		if r.verdict() == v {
			n++
		}
	}
	return n
}

// A session runs checks with both toolchains.
type session struct {
	fork, upstream *side
	options        *options
	report         *reporter
	dir            string
}

func newSession(ctx context.Context, o *options, r *reporter) (*session, error) {
	fork, err := newSide("gorefs", filepath.Join(o.root, "goroot"), "run ./make.bash first")
	if err != nil {
		return nil, err
	}
	upstream, err := findUpstream(ctx, o.root)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "compat-")
	return &session{fork, upstream, o, r, dir}, err
}

func (s *session) close() {
	if s.options.keep {
		fmt.Fprintln(os.Stderr, "compat: kept", s.dir)
		return
	}
	os.RemoveAll(s.dir)
}

func (s *session) run(ctx context.Context, chosen []entry) ([]result, error) {
	var all []result
	for _, e := range chosen {
		results := s.runEntry(ctx, e)
		if ctx.Err() != nil {
			return all, ctx.Err() // the last checks were cut short
		}
		all = append(all, results...)
		if s.options.save != "" {
			if err := appendRecords(s.options.save, s.records(results)); err != nil {
				return all, err
			}
		}
		if !s.options.keep {
			os.RemoveAll(filepath.Join(s.dir, e.name))
		}
	}
	return all, nil
}

// runEntry runs all checks with gorefs. If some fail, it repeats all checks up
// to the last of these with upstream's toolchain, because a check can use files
// that earlier ones have left. With -both it repeats all. Checks that fail only
// with gorefs run a second time with gorefs, unless they crashed.
func (s *session) runEntry(ctx context.Context, e entry) []result {
	s.report.begin(e)
	results := make([]result, len(e.checks))
	worst := -1
	fork := s.newJob(s.fork, e)
	for i, c := range e.checks {
		results[i] = result{entry: e, check: c, fork: s.runCheck(ctx, fork, c)}
		if err := results[i].fork.err; err != nil && !errors.Is(err, errMissing) && !c.alone {
			worst = i
		}
	}
	if s.options.both {
		worst = len(e.checks) - 1
	}
	upstream := s.newJob(s.upstream, e)
	for i, c := range e.checks[:worst+1] {
		results[i].upstream = s.runCheck(ctx, upstream, c)
	}
	for i := range results {
		r := &results[i]
		if r.verdict() == failed && !crashed(r.fork.log) {
			r.again = s.runCheck(ctx, fork, r.check)
		}
		s.report.result(*r)
	}
	s.report.end(e, results)
	return results
}

// crashed reports whether a log has a text that the runtime prints when it ends
// a program. One crash is enough evidence: such a check is not run again.
func crashed(log string) bool { return crashRE.MatchString(log) }

var crashRE = regexp.MustCompile(`(?m)^(fatal error: |panic: |SIG[A-Z]+: |unexpected fault address|runtime: )`)

func (s *session) newJob(side *side, e entry) *job {
	return &job{side: side, entry: e, dir: filepath.Join(s.dir, e.name, side.name)}
}

func (s *session) runCheck(ctx context.Context, j *job, c check) outcome {
	ctx, cancel := context.WithTimeout(ctx, s.options.limit)
	defer cancel()
	j.log.Reset()
	j.cpu = 0
	begun := time.Now()
	err := j.prepare()
	if err == nil {
		err = c.run(ctx, j)
	}
	o := outcome{ran: true, err: err, took: time.Since(begun), cpu: j.cpu, log: j.readable()}
	s.report.progress(j, c, o)
	return o
}
