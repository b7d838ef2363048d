// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package core

import (
	"flag"
	"path/filepath"
	"strings"
	"testing"
)

var (
	graphFlag = flag.String("graph", "", "compare the heap graph in `file` with the one of -core and -exe")
	coreFlag  = flag.String("core", "", "core `file`")
	exeFlag   = flag.String("exe", "", "executable of the core file")
)

// TestFiles compares two graphs of a process, one of which was made in it, and
// prints the differences.
func TestFiles(t *testing.T) {
	if *graphFlag == "" {
		t.Skip("needs -graph, -core and -exe")
	}
	name := filepath.Join(t.TempDir(), "core.graph")
	stats := writeFile(t, name, *exeFlag, *coreFlag)
	process, core := readGraph(t, *graphFlag), readGraph(t, name)
	t.Logf("%+v; objects in the process %d, in the core %d", stats, len(process.objects), len(core.objects))
	t.Logf("\n%v", compare(process, core, func(path string) string {
		parts := strings.Split(path, " > ")
		return strings.Join(parts[:min(len(parts), 3)], " > ")
	}))
}
