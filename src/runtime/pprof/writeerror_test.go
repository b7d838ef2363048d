// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package pprof

import (
	"bytes"
	"io"
	"testing"
)

// A shortWriter fails when it has taken left bytes.
type shortWriter struct{ left int }

func (w *shortWriter) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, io.ErrShortWrite
	}
	return len(p), nil
}

// TestWriteError checks that a writer's error is returned, wherever it fails,
// and that the next profile is complete.
func TestWriteError(t *testing.T) {
	for _, name := range []string{"goroutine", "growth", "peak"} {
		var buf bytes.Buffer
		if err := Lookup(name).WriteTo(&buf, 0); err != nil {
			t.Fatal(err)
		}
		for _, left := range []int{0, 1, buf.Len() / 2} {
			if err := Lookup(name).WriteTo(&shortWriter{left}, 0); err != io.ErrShortWrite {
				t.Errorf("%s: writer that fails after %d bytes: error %v", name, left, err)
			}
		}
		takeProfile(t, name)
	}
}
