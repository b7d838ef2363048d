// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Tests that a program has frame variables (see package internal/vartable) if
// it can record references, and that it has none otherwise. TestRefsCorpus of
// runtime/pprof tests their content.

package main

import (
	"bytes"
	"internal/testenv"
	"os"
	"path/filepath"
	"testing"
)

const frameVarsProgram = `package main

import (
	"os"
	"runtime"
)

//go:noinline
func newPointer() *int { return new(int) }

func main() {
	anUnmistakableName := newPointer()
	runtime.GC()
	runtime.KeepAlive(anUnmistakableName)
	write(os.Stdout)
}
`

var frameVarsWriters = map[string]string{
	"records": `package main

import (
	"io"
	"runtime/pprof"
)

func write(w io.Writer) { pprof.Lookup("refs").WriteTo(w, 0) }
`,
	"does not": `package main

import "io"

func write(w io.Writer) {}
`,
}

func TestFrameVarsLinked(t *testing.T) {
	testenv.MustHaveGoBuild(t)
	for _, test := range []struct {
		name, writer, gcflags string
		want                  bool
	}{
		{"recording", "records", "", true},
		{"not recording", "does not", "", false},
		{"turned off", "records", "-d=framevars=0", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for name, text := range map[string]string{"main.go": frameVarsProgram, "write.go": frameVarsWriters[test.writer]} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			exe := filepath.Join(dir, "main.exe")
			cmd := testenv.Command(t, testenv.GoToolPath(t), "build", "-ldflags=-s -w", "-gcflags="+test.gcflags, "-o", exe, "main.go", "write.go")
			cmd.Dir = dir
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			b, err := os.ReadFile(exe)
			if err != nil {
				t.Fatal(err)
			}
			if got := bytes.Contains(b, []byte("anUnmistakableName")); got != test.want {
				t.Errorf("the name is in the program: %v, want %v", got, test.want)
			}
			if out, err := testenv.Command(t, exe).CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
