// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bytes"
	"encoding/binary"
	"internal/profilerecord"
	"internal/testenv"
	"os"
	"path/filepath"
	"testing"
)

// TestCoreRecord checks that each program has the core record once, with or
// without symbols, and that the core record does not give a table of globals to
// a program that cannot record references.
func TestCoreRecord(t *testing.T) {
	testenv.MustHaveGoBuild(t)
	dir := t.TempDir()
	src := filepath.Join(dir, "main.go")
	if err := os.WriteFile(src, []byte("package main\n\nfunc main() {}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	magic := binary.NativeEndian.AppendUint64(nil, profilerecord.CoreMagic0)
	magic = binary.NativeEndian.AppendUint64(magic, profilerecord.CoreMagic1)
	for _, flags := range []string{"", "-s -w"} {
		exe := filepath.Join(dir, "main.exe")
		cmd := testenv.Command(t, testenv.GoToolPath(t), "build", "-ldflags="+flags, "-o", exe, src)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", cmd, err, out)
		}
		b, err := os.ReadFile(exe)
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(b, magic); n != 1 {
			t.Errorf("linked with %q, the program has %d core records", flags, n)
		}
		if bytes.Contains(b, []byte("runtime.refsglobaltab")) { // the table's name would be in the symbol table, which the stripped program does not have
			t.Errorf("linked with %q, the program has a table of globals", flags)
		}
	}
}
