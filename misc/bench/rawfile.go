// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"os"
	"path/filepath"

	"golang.org/x/perf/benchfmt"
)

// A rawFile keeps a side's measurements in the Go benchmark format, which
// benchstat reads. It writes each measurement at once, so that an interrupted
// session leaves all measurements that it has made.
type rawFile struct {
	file   *os.File
	writer *benchfmt.Writer
	config []benchfmt.Config
}

func createRawFile(dir string, s *side) (*rawFile, error) {
	file, err := os.OpenFile(filepath.Join(dir, s.name+".txt"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, err
	}
	config := []benchfmt.Config{{Key: "toolchain", Value: []byte(s.version), File: true}}
	return &rawFile{file, benchfmt.NewWriter(file), config}, nil
}

func (r *rawFile) write(m measurement) error {
	return r.writer.Write(&benchfmt.Result{
		Config: r.config,
		Name:   benchfmt.Name(m.name),
		Iters:  m.iters,
		Values: m.values,
	})
}

func (r *rawFile) close() error { return r.file.Close() }
