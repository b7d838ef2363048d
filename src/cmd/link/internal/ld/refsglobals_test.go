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

import "os"

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

func main() { println(kept != nil, dropped[len(os.Args)%2], other.String()) }
`

func TestRefsKeepType(t *testing.T) {
	testenv.MustHaveGoBuild(t)
	t.Parallel()
	src := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(src, []byte(refsTypesSource), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := testenv.Command(t, testenv.GoToolPath(t), "build", "-ldflags=-dumpdep", "-o", src+".exe", src)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	for _, test := range []struct {
		symbol string
		want   bool
	}{
		{"main.kept", true},
		{"type:*main.pointers", true},
		{"type:main.pointers", true},
		{"main.(*pointers).String", false},
		{"main.dropped", true},
		{"type:main.noPointers", false},
		{"runtime.mheap_", true},
		{"type:runtime.mheap", false}, // a struct of the runtime
	} {
		if got := strings.Contains(string(out), " "+test.symbol+"\n"); got != test.want {
			t.Errorf("%s reachable = %v", test.symbol, got)
		}
	}
}
