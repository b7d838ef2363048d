// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package heaptest_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

var (
	runs   = flag.Int("heaptest.runs", 0, "number of `times` that TestKinds runs each test (default 3, or 1 with -short)")
	copies = flag.Int("heaptest.copies", 2, "number of `copies` of each test that TestKinds runs at the same time")
)

// kindsVariable is the environment variable that says which tests a process
// runs (leaking tests, clean tests, or both) and whether they run in parallel.
const kindsVariable = "HEAPTEST_KINDS"

// TestKinds checks that each leaking test always fails and that no clean test
// ever fails. The tests run in four separate processes. In three of these
// processes they run in parallel. In the last one, the clean tests run one
// after another.
func TestKinds(t *testing.T) {
	if which := os.Getenv(kindsVariable); which != "" {
		runKinds(t, which)
		return
	}
	times := *runs
	if times == 0 {
		times = 3
		if testing.Short() {
			times = 1
		}
	}
	for _, which := range []string{"parallel leaking", "parallel clean", "parallel leaking clean", "clean"} {
		t.Run(which, func(t *testing.T) {
			c := *copies
			if !strings.Contains(which, "parallel") {
				c = 1
			}
			n := (times + c - 1) / c
			cmd := exec.Command(os.Args[0], "-test.run=^TestKinds$", "-test.v", fmt.Sprintf("-test.count=%d", n), "-test.parallel=10000", "-test.timeout=0", fmt.Sprintf("-heaptest.copies=%d", c))
			cmd.Env = append(os.Environ(), kindsVariable+"="+which)
			out, err := cmd.CombinedOutput()
			text := string(out)
			leaking := strings.Contains(which, "leaking")
			if _, ok := err.(*exec.ExitError); err != nil && !ok || (err != nil) != leaking {
				t.Errorf("the process ended with %v:\n%s", err, text)
			}
			o := parseOutcomes(text)
			if leaking {
				for _, k := range leaks {
					o.check(t, "leak "+k.name, k.want, n*c)
				}
			}
			if strings.Contains(which, "clean") {
				for _, k := range cleans {
					o.check(t, "clean "+k.name, "", n*c)
				}
			}
		})
	}
}

// runKinds runs several copies of each test.
func runKinds(t *testing.T, which string) {
	run := func(name string, f func(*testing.T)) {
		for i := range *copies {
			t.Run(name, func(t *testing.T) {
				if strings.Contains(which, "parallel") {
					t.Parallel()
				}
				_ = i
				f(t)
			})
		}
	}
	if strings.Contains(which, "leaking") {
		for _, k := range leaks {
			run("leak "+k.name, k.run)
		}
	}
	if strings.Contains(which, "clean") {
		for _, k := range cleans {
			run("clean "+k.name, k.run)
		}
	}
}

// outcomes are the results in the output of a process, by the name of the test.
type outcomes struct {
	passed, failed map[string]int
	reports        map[string][]string
}

var (
	resultLine = regexp.MustCompile(`^ *--- (PASS|FAIL): TestKinds/([^#\s/]*)(#\d+)? `)
	nameLine   = regexp.MustCompile(`^=== [A-Z]+ +TestKinds/?(\S*)`)
)

// parseOutcomes reads the output of a process. A line that begins with ===
// names the test, or the copy of a test, whose output follows.
func parseOutcomes(text string) *outcomes {
	o := &outcomes{make(map[string]int), make(map[string]int), make(map[string][]string)}
	reports := make(map[string][]string) // by the name of the copy
	test := ""
	for line := range strings.Lines(text) {
		if m := nameLine.FindStringSubmatch(line); m != nil {
			test = m[1]
		} else if m := resultLine.FindStringSubmatch(line); m != nil && m[1] == "PASS" {
			o.passed[m[2]]++
		} else if m != nil {
			o.failed[m[2]]++
		} else if r := reports[test]; strings.HasPrefix(line, "     ") && len(r) > 0 {
			r[len(r)-1] += line
		} else if strings.HasPrefix(line, "    ") {
			reports[test] = append(r, line)
		}
	}
	for test, r := range reports {
		name, _, _ := strings.Cut(test, "#")
		o.reports[name] = append(o.reports[name], r...)
	}
	return o
}

// check checks that a test has run n times. It must have failed each time, with
// a report that has the text want, or have passed if want is empty.
func (o *outcomes) check(t *testing.T, name, want string, n int) {
	t.Helper()
	name = strings.ReplaceAll(name, " ", "_")
	passes, failures, matching := o.passed[name], o.failed[name], 0
	for _, r := range o.reports[name] {
		if strings.HasPrefix(r, "    leaking_test.go:") && strings.Contains(r, "is reachable when the test ends") && strings.Contains(r, want) {
			matching++
		}
	}
	if want == "" && passes == n && failures == 0 || want != "" && passes == 0 && failures == n && matching == n {
		t.Logf("%-45s %d passed, %d failed", name, passes, failures)
		return
	}
	t.Errorf("%s: %d passed and %d failed of %d, %d of them with a path that has %q:\n%s",
		name, passes, failures, n, matching, want, strings.Join(o.reports[name], ""))
}
