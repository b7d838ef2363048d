// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ld

import (
	"internal/testenv"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestProfileWork checks which programs have the runtime's work for profiles and
// memory scopes.
func TestProfileWork(t *testing.T) {
	testenv.MustHaveGoBuild(t)
	t.Parallel()
	const (
		growth = "runtime.(*growthOfP).attribute"
		usage  = "runtime.markMemUsage"
		labels = "runtime.memLabelsRecord"
		faults = "runtime.(*pageFaultProfile).open"
		scopes = "runtime.(*p).countFor"
	)
	work := []string{growth, usage, labels, faults, scopes}
	if runtime.GOOS != "linux" { // where there is no faults profile
		work = slices.DeleteFunc(work, func(s string) bool { return s == faults })
	}
	tests := []struct {
		name, program string
		cgo           bool
		want          []string
	}{
		{name: "none", program: `package main; func main() { println() }`},
		{name: "profile", program: `package main; import "runtime/pprof"; func main() { pprof.Lookup("") }`,
			want: []string{growth, usage}},
		{name: "faults", program: `package main; import "runtime/pprof"; func main() { pprof.StartPageFaultProfile(nil) }`,
			want: []string{faults}},
		{name: "labels", program: `package main; import ("context"; "runtime/pprof"); func main() { pprof.Do(context.Background(), pprof.Labels("a", "b"), func(context.Context) {}) }`,
			want: []string{labels}},
		{name: "scope", program: `package main; import _ "runtime/memscope"; func main() {}`,
			want: []string{labels, scopes}},
		{name: "plugins", program: `package main; import "plugin"; func main() { plugin.Open("") }`, cgo: true,
			want: []string{growth, usage, scopes}}, // scopes is a method, which such programs keep
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.cgo {
				testenv.MustHaveCGO(t)
				testenv.MustHaveBuildMode(t, "plugin")
			}
			out := refsDumpDep(t, test.program)
			for _, symbol := range work {
				want := slices.Contains(test.want, symbol)
				if got := strings.Contains(out, " "+symbol+"\n"); got != want {
					t.Errorf("%s is reachable = %v", symbol, got)
				}
			}
		})
	}
}
