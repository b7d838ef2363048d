// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package evidence

import "os"

// A spare has file descriptors that are kept for a set. A program that leaks
// memory may leak connections, too, and have no descriptors left when a set is
// due.
type spare []*os.File

// spareFiles is the number of descriptors. It is one more than writing a set
// needs at once: for the set's folder, for a file of the set, and for two files
// from which the system's figures are read.
const spareFiles = 5

// take opens the descriptors that are missing, as far as it can.
func (s *spare) take() {
	for len(*s) < spareFiles {
		f, err := os.Open(os.DevNull)
		if err != nil {
			return
		}
		*s = append(*s, f)
	}
}

// release closes the descriptors, so that others can be opened.
func (s *spare) release() {
	for _, f := range *s {
		f.Close()
	}
	*s = nil
}
