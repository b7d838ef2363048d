// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package ld

import (
	"internal/testenv"
	"os"
	"path/filepath"
	"testing"
)

// TestHeapSamples checks which programs sample the heap profile.
func TestHeapSamples(t *testing.T) {
	testenv.MustHaveGoRun(t)
	t.Parallel()
	for _, test := range []struct{ name, program, want string }{
		{"none", `package main; import "runtime"; func main() { print(runtime.MemProfileRate) }`, "0"},
		{"scope", `package main; import ("runtime"; _ "runtime/memscope"); func main() { print(runtime.MemProfileRate) }`, "0"},
		{"usage", `package main; import ("runtime"; "runtime/memscope"); var s *memscope.Scope; func main() { s.Usage(); print(runtime.MemProfileRate) }`, "524288"},
		{"profile", `package main; import ("runtime"; "runtime/pprof"); func main() { print(runtime.MemProfileRate); pprof.Lookup("heap") }`, "524288"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "main.go")
			if err := os.WriteFile(file, []byte(test.program), 0o666); err != nil {
				t.Fatal(err)
			}
			out, err := testenv.Command(t, testenv.GoToolPath(t), "run", file).CombinedOutput()
			if got := string(out); err != nil || got != test.want {
				t.Errorf("MemProfileRate is %q, want %q; error %v", got, test.want, err)
			}
		})
	}
}
