// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Tests of the types that the linker keeps for the table of globals.
// TestRefsGlobals in cmd/link tests the table itself.

package ld

import (
	"internal/testenv"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const refsTypesSource = `
package main

import (
	"os"
	"runtime/pprof"
)

type pointers struct{ p *int }

func (*pointers) String() string { return "linked if *pointers were an interface value's" }

type noPointers [2]int

type stringer struct{}

func (stringer) String() string { return "" }

var (
	kept    *pointers
	dropped noPointers
	other   interface{ String() string } = stringer{}
)

func main() {
	println(kept != nil, dropped[len(os.Args)%2], other.String())
	profile()
}

func profile() { pprof.Lookup("refs") }
`

func TestRefsKeepType(t *testing.T) {
	testenv.MustHaveGoBuild(t)
	t.Parallel()
	tests := []struct {
		symbol  string
		with    bool // reachable in a program that can take a refs profile
		without bool // reachable in a program that cannot take one
	}{
		{"runtime.refsGlobalsTable", true, false},
		{"main.kept", true, true},
		{"type:*main.pointers", true, false},
		{"type:main.pointers", true, false},
		{"main.(*pointers).String", false, false},
		{"main.dropped", true, true},
		{"type:main.noPointers", false, false},
		{"runtime.mheap_", true, true},
		{"type:runtime.mheap", false, false}, // a struct of the runtime
	}
	all := refsDumpDep(t, refsTypesSource)
	none := refsDumpDep(t, strings.NewReplacer(`"runtime/pprof"`, "", `pprof.Lookup("refs")`, "").Replace(refsTypesSource))
	for _, test := range tests {
		if got := strings.Contains(all, " "+test.symbol+"\n"); got != test.with {
			t.Errorf("with a profile: %s reachable = %v", test.symbol, got)
		}
		if got := strings.Contains(none, " "+test.symbol+"\n"); got != test.without {
			t.Errorf("without a profile: %s reachable = %v", test.symbol, got)
		}
	}
}

// refsDumpDep builds a program and returns what -dumpdep prints.
func refsDumpDep(t *testing.T, source string) string {
	src := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(src, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := testenv.Command(t, testenv.GoToolPath(t), "build", "-ldflags=-dumpdep", "-o", src+".exe", src)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	return string(out)
}
