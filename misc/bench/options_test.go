// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"io"
	"regexp"
	"strings"
	"testing"
)

func TestParseOptions(t *testing.T) {
	o, err := parseOptions([]string{"-count", "3", "-run", "^GC/", "-o", "x", "-markdown"}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if o.count != 3 || o.pattern.String() != "^GC/" || o.out != "x" || !o.markdown || o.list {
		t.Errorf("parseOptions = %+v", o)
	}
	for _, bad := range [][]string{{"-count", "0"}, {"-run", "("}, {"GC"}, {"-speed"}} {
		var stderr strings.Builder
		_, err := parseOptions(bad, &stderr)
		if err == nil {
			t.Errorf("parseOptions(%q) succeeded", bad)
		} else if strings.Contains(stderr.String(), err.Error()) {
			t.Errorf("parseOptions(%q) has printed its error:\n%s", bad, &stderr)
		}
	}
}

func TestChoose(t *testing.T) {
	all := []suite{
		{"A", []benchmark{{name: "A/x"}, {name: "A/slow", slow: true}}},
		{"B", []benchmark{{name: "B/x"}}},
	}
	for _, test := range []struct {
		pattern string
		want    []string
	}{
		{"", []string{"A/x", "B/x"}},
		{"A/", []string{"A/x", "A/slow"}},
		{"x$", []string{"A/x", "B/x"}},
		{"C", nil},
	} {
		var pattern *regexp.Regexp
		if test.pattern != "" {
			pattern = regexp.MustCompile(test.pattern)
		}
		got, err := choose(all, pattern)
		if (err != nil) != (test.want == nil) || len(got) != len(test.want) {
			t.Errorf("choose(%q) = %v, %v, want %q", test.pattern, got, err, test.want)
			continue
		}
		for i, b := range got {
			if b.name != test.want[i] {
				t.Errorf("choose(%q)[%d] = %s, want %s", test.pattern, i, b.name, test.want[i])
			}
		}
	}
}

// TestSuites checks the names that -run and the table use. Each begins with the
// suite's name, and none occurs twice.
func TestSuites(t *testing.T) {
	seen := make(map[string]bool)
	for _, s := range suites() {
		for _, b := range s.benchmarks {
			if !regexp.MustCompile(`^` + s.name + `/\S+$`).MatchString(b.name) {
				t.Errorf("benchmark %q in suite %s", b.name, s.name)
			}
			if seen[b.name] {
				t.Errorf("two benchmarks %s", b.name)
			}
			seen[b.name] = true
		}
	}
}
