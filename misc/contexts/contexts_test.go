// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestToy checks that all faults that are planted in testdata/toy are found, and
// nothing else.
func TestToy(t *testing.T) {
	ours, err := filepath.Abs("testdata/toy/ours.go")
	if err != nil {
		t.Fatal(err)
	}
	p, err := load("testdata/toy", nil, map[string]bool{ours: true}, ".")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"acquireSudog: splitsDeep: split splits",
		"dropm: switches: split switches$1",
		"holdsOwn: takesHighHeld: order own<sched.high",
		"callee: takesLowInCallee: order sched.high<sched.low",
		"leaf: takesHighInLeaf: order sched.leaf<sched.high",
		"mallocgc: wakes: ready goready",
		"mallocgc: wakes: ready ready",
		"minit: hasNoPragma: barrier hasNoPragma",
		"onSystemStack$1: parks: park gopark",
		"outOfOrder: takesLow: order sched.high<sched.low",
		"refill: appends: alloc appends",
		"sighandler: allocates: alloc allocates",
		"sighandler: locks: lock own",
		"sighandler: safePoint: barrier safePoint",
		"sysmon: indirect: barrier unfitTarget",
		"sysmon: readies: P goready",
		"sysmon: readies: P ready",
		"unminit: splits: split splits",
	}
	var got []string
	for _, h := range check(p, nil).hooks {
		for _, f := range h.faults {
			got = append(got, strings.Join([]string{short(h.from), short(h.to), f.rule + " " + f.target}, ": "))
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	got = slices.Compact(got)
	if !slices.Equal(got, want) {
		for _, s := range want {
			if !slices.Contains(got, s) {
				t.Errorf("not found: %s", s)
			}
		}
		for _, s := range got {
			if !slices.Contains(want, s) {
				t.Errorf("found though it is right: %s", s)
			}
		}
	}
}

// TestAccepted checks that a line of accepted.txt accepts what it says and
// nothing else, and that a line that accepts nothing is a fault.
func TestAccepted(t *testing.T) {
	h := &hook{call: call{}}
	list := []*exception{
		{line: 1, hook: "(*T).f", rule: "order", target: "*<sched"},
		{line: 2, hook: "g", rule: "order", target: "a<b"},
	}
	for _, test := range []struct {
		name, rule, target string
		want               bool
	}{
		{"(*T).f", "order", "a<sched", true},
		{"(*T).f", "order", "a<b", false},
		{"(*T).f", "alloc", "a<sched", false},
		{"f", "order", "a<sched", false},
	} {
		if got := accept(list, test.name, fault{hook: h, rule: test.rule, target: test.target}); got != test.want {
			t.Errorf("%s %s %s: accepted: %v, want %v", test.name, test.rule, test.target, got, test.want)
		}
	}
	if got := unused(list); len(got) != 1 || !strings.HasPrefix(got[0], "accepted.txt:2:") {
		t.Errorf("unused lines: %q, want the second", got)
	}
}

// TestRuntime checks our code in the runtime of goroot/.
func TestRuntime(t *testing.T) {
	if got, err := exec.Command("go", "env", "GOROOT").Output(); err != nil || !isGoroot(strings.TrimSpace(string(got))) {
		t.Skipf("the go command is not that of goroot/, but of %s", got)
	}
	for _, platform := range []string{"linux/amd64", "linux/386", "darwin/arm64", "windows/amd64"} {
		t.Run(platform, func(t *testing.T) {
			if testing.Short() && platform != "linux/amd64" {
				t.Skip("one platform in short mode")
			}
			r, err := checkGoroot("../../goroot", platform)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range r.faults {
				t.Error(f)
			}
			if platform == "linux/amd64" {
				page, err := os.ReadFile("../../doc/design/contexts.md")
				if err != nil || !strings.HasSuffix(string(page), "\n\n"+r.markdown()) {
					t.Errorf("doc/design/contexts.md has another table than go run -C misc/contexts . -markdown (%v)", err)
				}
			}
			if len(r.hooks) < 50 {
				t.Errorf("%d hooks: most are missing", len(r.hooks))
			}
		})
	}
}

func isGoroot(dir string) bool {
	want, err := filepath.Abs("../../goroot")
	return err == nil && filepath.Clean(dir) == want
}
