// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestTable checks the table: names are unique and can be used as names of
// folders, and each module and tool is pinned to one version.
func TestTable(t *testing.T) {
	pin := regexp.MustCompile(`^(npm )?[a-zA-Z0-9./_-]+@v?[0-9][0-9A-Za-z.+-]*$`)
	names := map[string]bool{}
	for _, e := range entries() {
		if names[e.name] || !regexp.MustCompile(`^[a-z0-9_-]+$`).MatchString(e.name) {
			t.Errorf("name %q", e.name)
		}
		names[e.name] = true
		for _, p := range e.pins {
			if !pin.MatchString(p) || strings.HasSuffix(p, "latest") {
				t.Errorf("%s: %q is not pinned", e.name, p)
			}
		}
		checks := map[string]bool{}
		for _, c := range e.checks {
			if checks[c.name] || c.run == nil {
				t.Errorf("%s: check %q", e.name, c.name)
			}
			checks[c.name] = true
		}
		if len(e.checks) == 0 {
			t.Errorf("%s has no checks", e.name)
		}
	}
}

// TestPrograms checks that a program that requires a module of the table
// requires the version that the table has.
func TestPrograms(t *testing.T) {
	pins := map[string]string{}
	for _, e := range entries() {
		for _, p := range e.pins {
			path, version, _ := strings.Cut(p, "@")
			pins[path] = version
		}
	}
	files, err := filepath.Glob("programs/*/go.mod")
	if err != nil || len(files) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	requireRE := regexp.MustCompile(`(?m)^(?:require )?\s*(\S+) (v\S+)$`)
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range requireRE.FindAllStringSubmatch(string(data), -1) {
			if want, ok := pins[m[1]]; ok && want != m[2] {
				t.Errorf("%s requires %s %s, the table has %s", file, m[1], m[2], want)
			}
		}
	}
}

func TestChoose(t *testing.T) {
	all := []entry{
		{"ab", nil, []check{{name: "short"}, {name: "slow", long: true}}},
		{"b", nil, []check{{name: "slow", long: true}}},
	}
	for _, test := range []struct {
		pattern string
		subset  bool
		want    string
	}{
		{"", false, "ab: short slow, b: slow"},
		{"", true, "ab: short"},
		{"^b$", false, "b: slow"},
		{"^b$", true, "error"},
		{"none", false, "error"},
	} {
		chosen, err := choose(all, regexp.MustCompile(test.pattern), test.subset)
		var have []string
		for _, e := range chosen {
			s := e.name + ":"
			for _, c := range e.checks {
				s += " " + c.name
			}
			have = append(have, s)
		}
		if err != nil {
			have = []string{"error"}
		}
		if got := strings.Join(have, ", "); got != test.want {
			t.Errorf("-run %q, subset %v: %s, want %s", test.pattern, test.subset, got, test.want)
		}
	}
	if len(all[0].checks) != 2 {
		t.Error("choose changed the table")
	}
}
