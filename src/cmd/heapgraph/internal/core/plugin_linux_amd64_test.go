// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package core

import (
	"path/filepath"
	"syscall"
	"testing"
)

// TestOpenMapped checks that a plugin's file is opened if it is the file that
// was mapped, and that any other file is refused, without waiting for a pipe.
func TestOpenMapped(t *testing.T) {
	dir := t.TempDir()
	good, other, pipe := filepath.Join(dir, "good"), filepath.Join(dir, "other"), filepath.Join(dir, "pipe")
	data := writeLibrary(t, good, 0, 'a').data
	writeLibrary(t, other, 0, 'b')
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Skip(err)
	}
	p := &process{memory: &memory{core: []segment{{0x10000, data[:4096]}}}}
	for _, test := range []struct {
		name     string
		mappings []mapping
		ok       bool
	}{
		{"good", []mapping{{0x10000, 0x11000, 0, good}, {0x11000, 0x12000, 4096, good}}, true},
		{"other", []mapping{{0x10000, 0x11000, 0, other}, {0x11000, 0x12000, 4096, other}}, false},
		{"pipe", []mapping{{0x10000, 0x11000, 0, pipe}, {0x11000, 0x12000, 4096, pipe}}, false},
		{"directory", []mapping{{0x11000, 0x12000, 0, dir}}, false},
		{"missing", []mapping{{0x11000, 0x12000, 0, filepath.Join(dir, "none")}}, false},
		{"beginning not mapped", []mapping{{0x11000, 0x12000, 4096, good}}, false},
		{"elsewhere", []mapping{{0x50000, 0x51000, 0, good}}, false},
	} {
		f, bias, err := p.openMapped(test.mappings, 0x11008)
		if (err == nil) != test.ok || test.ok && bias != 0x10000 {
			t.Errorf("%s: the bias is %#x, the error %v", test.name, bias, err)
		}
		if f != nil && err == nil {
			f.close()
		}
	}
}
