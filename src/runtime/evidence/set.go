// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file writes the files of a set. Each file has another name until it is
// complete.

package evidence

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// A setWriter writes the files of a set.
type setWriter struct {
	dir  string   // folder, without the suffix partial
	left int64    // number of bytes that the files may still have
	lock *os.File // the open folder, or nil

	reserve int64         // bytes of the reserve
	waiting string        // the allocations that have waited, for evidence.txt
	waited  time.Duration // how long allocations may have waited

	written []string // lines about files, for evidence.txt
	err     error    // joined errors of all files that could not be written
	full    bool     // whether a file is missing because it could not be opened, written, closed or renamed, as on a full disk
}

// file writes a file of the set. The file gets its name when it is complete. If
// write fails, or the disk is full, file removes the incomplete file.
func (s *setWriter) file(name string, write func(io.Writer) error) {
	size, err := s.create(name, write)
	if err != nil {
		s.fail(fmt.Errorf("%s: %w", name, err))
		return
	}
	s.written = append(s.written, fmt.Sprintf("%s: %d bytes", name, size))
}

// fail records that a file could not be written.
func (s *setWriter) fail(err error) {
	s.written = append(s.written, err.Error())
	s.err = errors.Join(s.err, err)
}

// create writes a file and returns its size.
func (s *setWriter) create(name string, write func(io.Writer) error) (size int64, err error) {
	tmp := filepath.Join(s.dir+partial, "."+name)
	f, err := os.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		s.full = true
		return 0, err
	}
	w := &limitedWriter{w: f, left: s.left}
	err = write(w)
	if w.err != nil { // some writers of profiles ignore this error
		err = w.err
		s.full = s.full || err != errTooLarge
	}
	if e := f.Close(); err == nil && e != nil {
		err, s.full = e, true
	}
	if err == nil {
		if err = os.Rename(tmp, filepath.Join(s.dir+partial, name)); err != nil {
			s.full = true
		}
	}
	if err != nil {
		os.Remove(tmp)
		return 0, err
	}
	size = s.left - w.left
	s.left = w.left
	return size, nil
}

// close gives the folder its name, and removes a folder without files. It
// returns the name that the folder has, or "".
func (s *setWriter) close() string {
	s.lock.Close() // Close of a nil File returns an error
	from, to := s.dir+partial, s.dir
	if os.Remove(from) == nil { // succeeds only if the folder is empty
		return ""
	}
	if s.full {
		to += incomplete
	}
	if err := os.Rename(from, to); err != nil {
		s.err = errors.Join(s.err, err)
		return from
	}
	return to
}

// A limitedWriter writes up to left bytes to w. It keeps the first error.
type limitedWriter struct {
	w    io.Writer
	left int64
	err  error
}

var errTooLarge = errors.New("more bytes than a set may have")

func (l *limitedWriter) Write(p []byte) (n int, err error) {
	if l.err == nil && int64(len(p)) > l.left {
		l.err = errTooLarge
	}
	if l.err != nil {
		return 0, l.err
	}
	n, l.err = l.w.Write(p)
	l.left -= int64(n)
	return n, l.err
}
