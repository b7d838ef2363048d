// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime/pprof"
	"testing"
)

// TestWrongTool gives commands files of other tools.
func TestWrongTool(t *testing.T) {
	var b bytes.Buffer
	if err := pprof.Lookup("heap").WriteTo(&b, 0); err != nil {
		t.Fatal(err)
	}
	profile := writeTemp(t, b.Bytes())
	for _, command := range []string{"top", "suspects", "-http=: -no_browser", "diff FILE"} {
		checkErrors(t, profile, []errorTest{{command + " FILE", 1, "heapgraph: FILE: this is a profile, for which the command is: go tool pprof -http=: FILE\n"}})
	}
	for _, order := range []string{"core FILE doc.go", "core doc.go FILE"} {
		checkErrors(t, profile, []errorTest{{order, 1, "heapgraph: FILE: this is a profile, for which the command is: go tool pprof -http=: FILE\n"}})
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "memreport.json"), []byte("{}"), 0o666); err != nil {
		t.Fatal(err)
	}
	checkErrors(t, dir, []errorTest{{"top FILE", 1, "heapgraph: FILE: this is a folder of profiles, for which the command is: go tool memreport FILE\n"}})
}
