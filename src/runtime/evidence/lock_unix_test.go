// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package evidence

import (
	"os"
	"path/filepath"
	"testing"
)

// TestLockNew checks that a new file is taken unless another open file has the
// lock or the file is gone. Locking a closed file fails as on a file system
// without locks.
func TestLockNew(t *testing.T) {
	for _, test := range []struct {
		name string
		do   func(f *os.File)
		want bool
	}{
		{"free", func(*os.File) {}, true},
		{"locked", func(f *os.File) {
			other, err := os.Open(f.Name())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { other.Close() })
			if !lock(other) {
				t.Fatal("the file cannot be locked")
			}
		}, false},
		{"removed", func(f *os.File) { os.Remove(f.Name()) }, false},
		{"without locks", func(f *os.File) { f.Close() }, true},
	} {
		f, err := os.Create(filepath.Join(t.TempDir(), "file"))
		if err != nil {
			t.Fatal(err)
		}
		test.do(f)
		if got := lockNew(f); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
		f.Close()
	}
}
