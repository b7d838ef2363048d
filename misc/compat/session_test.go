// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// toySession returns a session whose toolchains do not exist, for checks that
// run no command.
func toySession(t *testing.T, o *options, out *strings.Builder) *session {
	o.limit = time.Minute
	return &session{
		fork:     &side{"gorefs", "/none", "go1.2.3-refs-1a2b3c4d"},
		upstream: &side{"upstream", "/none", "go1.2.3"},
		options:  o,
		report:   &reporter{out: out, events: o.json},
		dir:      t.TempDir(),
	}
}

// ends returns a check that fails on the given sides.
func ends(name string, fails map[string]error) check {
	return custom(name, func(_ context.Context, j *job) error {
		j.logf("%s with %s", name, j.side.name)
		return fails[j.side.name]
	})
}

var (
	errTest = errors.New("does not work")
	toy     = entry{"toy", []string{"example.com/toy@v1.0.0"}, []check{
		ends("works", nil),
		ends("breaks", map[string]error{"gorefs": errTest}),
		ends("never works", map[string]error{"gorefs": errTest, "upstream": errTest}),
		ends("upstream's", map[string]error{"upstream": errTest}),
		ends("needs a thing", map[string]error{"gorefs": fmt.Errorf("thing: %w", errMissing)}),
	}}
)

func TestVerdicts(t *testing.T) {
	var out strings.Builder
	s := toySession(t, &options{}, &out)
	results := mustRun(t, s, toy)
	for i, want := range []verdict{passed, failed, both, passed, missing} {
		if v := results[i].verdict(); v != want {
			t.Errorf("%s: %s, want %s", results[i].check.name, v, want)
		}
	}
	if n := count(results, failed); n != 1 {
		t.Errorf("%d failed, want 1", n)
	}
	s = toySession(t, &options{both: true}, new(strings.Builder))
	if r := s.runEntry(context.Background(), entry{"toy", nil, []check{alone(toy.checks[2])}})[0]; !r.upstream.ran || r.verdict() != failed {
		t.Errorf("a check of what only gorefs has: %s, want %s", r.verdict(), failed)
	}
	for _, want := range []string{
		"toy: breaks: gorefs: fails (0s, 0s of processors)\n", "toy: breaks: upstream: ok (0s, 0s of processors)\n",
		"FAILED toy: breaks: works with upstream: does not work\nbreaks with gorefs\n",
		"toy: never works: both fail: never works with gorefs\n",
		"toy: needs a thing: gorefs: skipped: thing: not on this machine (0s, 0s of processors)\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, &out)
		}
	}
}

// TestUpstreamRuns counts the checks that are repeated with upstream's
// toolchain: those up to the last that fails, or all with -both.
func TestUpstreamRuns(t *testing.T) {
	for _, test := range []struct {
		checks []check
		both   bool
		want   int
	}{
		{toy.checks[:1], false, 0},
		{toy.checks[:1], true, 1},
		{toy.checks, false, 3},
		{toy.checks, true, 5},
		{toy.checks[4:], false, 0},
		{[]check{alone(toy.checks[2])}, false, 0},
	} {
		s := toySession(t, &options{both: test.both}, new(strings.Builder))
		have := 0
		for _, r := range s.runEntry(context.Background(), entry{"toy", nil, test.checks}) {
			if r.upstream.ran {
				have++
			}
		}
		if have != test.want {
			t.Errorf("%d checks, both %v: %d with upstream, want %d", len(test.checks), test.both, have, test.want)
		}
	}
}

// TestUnsteady makes a check fail once, with gorefs. It must run again unless
// it crashed.
func TestUnsteady(t *testing.T) {
	for _, test := range []struct {
		log  string
		want verdict
	}{
		{"--- FAIL: TestTime", unsteady},
		{"fatal error: found bad pointer", failed},
		{"ok\npanic: runtime error: index out of range", failed},
		{"SIGSEGV: segmentation violation", failed},
	} {
		runs := 0
		s := toySession(t, &options{}, new(strings.Builder))
		r := s.runEntry(context.Background(), entry{"toy", nil, []check{
			custom("fails first", func(_ context.Context, j *job) error {
				j.logf("%s", test.log)
				if runs++; runs == 1 {
					return errTest
				}
				return nil
			}),
		}})[0]
		if r.verdict() != test.want {
			t.Errorf("%q: %s, want %s", test.log, r.verdict(), test.want)
		}
	}
}

// TestEvents reads the events of the toy entry as misc/tally does.
func TestEvents(t *testing.T) {
	var out strings.Builder
	mustRun(t, toySession(t, &options{json: true}, &out), toy)
	have := map[string]int{}
	last := event{}
	for line := range strings.Lines(out.String()) {
		if !strings.HasPrefix(line, "{") {
			continue
		}
		last = event{}
		if err := json.Unmarshal([]byte(line), &last); err != nil {
			t.Fatal(err)
		}
		have[last.Action]++
	}
	want := map[string]int{"start": 1, "run": 5, "pass": 2, "fail": 2, "skip": 2, "output": 1}
	if fmt.Sprint(have) != fmt.Sprint(want) {
		t.Errorf("events %v, want %v", have, want)
	}
	if last.Action != "fail" || last.Test != "" {
		t.Errorf("the last event is %+v, want the end of the package", last)
	}
}

// TestMarkdown writes the page for a run, and for the records that a run has
// saved.
func TestMarkdown(t *testing.T) {
	var out, direct, saved strings.Builder
	file := filepath.Join(t.TempDir(), "saved")
	s := toySession(t, &options{save: file}, &out)
	if err := writeMarkdown(&direct, s.records(mustRun(t, s, toy)), "the command"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"5 checks: 2 ok, 1 FAILED, 1 fail with both, 0 unsteady, 1 skipped, 0 not run.",
		"| toy | example.com/toy@v1.0.0 | works | ok | ok |\n|  |  | breaks | FAILED | ok |\n",
		"## Works with upstream only\n\n- toy, breaks: `breaks with gorefs`\n",
		"## Fails with both\n\n- toy, never works: `never works with gorefs`\n",
	} {
		if !strings.Contains(direct.String(), want) {
			t.Errorf("the page lacks %q:\n%s", want, &direct)
		}
	}

	mustRun(t, s, toy) // replaces the records that it has saved before
	records, err := readRecords(file, []entry{toy})
	if err != nil {
		t.Fatal(err)
	}
	if err := writeMarkdown(&saved, records, "the command"); err != nil {
		t.Fatal(err)
	}
	if saved.String() != direct.String() {
		t.Errorf("saved:\n%s\nwant:\n%s", &saved, &direct)
	}
}

func mustRun(t *testing.T, s *session, e entry) []result {
	t.Helper()
	results, err := s.run(context.Background(), []entry{e})
	if err != nil {
		t.Fatal(err)
	}
	return results
}

func TestReason(t *testing.T) {
	for _, test := range []struct{ log, want string }{
		{"# x\nx.f: relocation target go:(*T).M not defined\nother error\n", "relocation target go:(*T).M not defined"},
		{"=== RUN\npanic: index out of range\n\ngoroutine 1\n", "panic: index out of range"},
		{"a\n    x_test.go:12: have 1\n--- FAIL: TestX\n", "x_test.go:12: have 1"},
		{"$ program\nlast line\n\n", "last line"},
		{"$ program\n", "does not work"},
	} {
		r := result{fork: outcome{ran: true, err: errTest, log: test.log}}
		if have := r.reason(); have != test.want {
			t.Errorf("%q: %q, want %q", test.log, have, test.want)
		}
	}
}

func TestLimit(t *testing.T) {
	s := toySession(t, &options{}, new(strings.Builder))
	s.options.limit = time.Millisecond
	r := s.runEntry(context.Background(), entry{"toy", nil, []check{
		custom("waits", func(ctx context.Context, j *job) error {
			<-ctx.Done()
			return ctx.Err()
		}),
	}})[0]
	if !errors.Is(r.fork.err, context.DeadlineExceeded) {
		t.Errorf("error %v", r.fork.err)
	}
}

// TestJobEnv checks that commands get the side's toolchain, and none of the
// user's settings that change the build.
func TestJobEnv(t *testing.T) {
	t.Setenv("GOFLAGS", "-tags=mine")
	t.Setenv("GODEBUG", "mine=1")
	t.Setenv("GOPROXY", "off")
	j := &job{side: &side{name: "gorefs", goroot: "/none"}, dir: t.TempDir()}
	out, err := j.output(context.Background(), j.dir, "env")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"GOFLAGS=-buildvcs=false\n", "GOPROXY=off\n", "GOTOOLCHAIN=local\n",
		fmt.Sprintf("PATH=%s%c%s%c", j.path("bin"), os.PathListSeparator, filepath.FromSlash("/none/bin"), os.PathListSeparator),
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the environment lacks %q", want)
		}
	}
	if strings.Contains(out, "mine") {
		t.Errorf("the user's settings remain:\n%s", out)
	}
}
