// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package core

import (
	"io"
	"os"
	"strings"
	"testing"
)

// checkOtherBuild checks the errors if the executable is another build of the
// program, with the entry point of the first one, and then also with its build
// ID.
func checkOtherBuild(t *testing.T, exe, core string) {
	other := (&mode{flags: []string{"-gcflags=-N -l"}}).build(t, t.TempDir())
	e, o, c := readWhole(t, exe), readWhole(t, other), readWhole(t, core)
	id, err := e.Section(".note.go.buildid").Data()
	if err != nil {
		t.Fatal(err)
	}
	s := o.Section(".note.go.buildid")
	if s.Size != uint64(len(id)) {
		t.Fatalf("the build IDs have %d and %d bytes", s.Size, len(id))
	}
	o.Entry = e.Entry
	if _, err := write(io.Discard, o, c, false); err != errOther {
		t.Errorf("another build: the error is %v, want %v", err, errOther)
	}
	copy(o.data[s.Offset:], id)
	if _, err := write(io.Discard, o, c, false); err != errDiffers {
		t.Errorf("another build with an equal build ID: the error is %v, want %v", err, errDiffers)
	}
}

// checkShrunk checks the error if a core file becomes shorter while it is read.
func checkShrunk(t *testing.T, exe, core string) {
	e, err := openFile(exe)
	if err != nil {
		t.Fatal(err)
	}
	defer e.close()
	c, err := openFile(core)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	if err := os.Truncate(core, int64(len(c.data)/2)); err != nil {
		t.Fatal(err)
	}
	_, err = writeGuarded(io.Discard, e, c, false)
	if err == nil || !strings.Contains(err.Error(), core+" cannot be read, or has become shorter") {
		t.Errorf("a core file that became shorter: the error is %v", err)
	}
}
