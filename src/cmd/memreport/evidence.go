// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file reads a set that package runtime/evidence has written: one moment,
// with one recording.

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// evidenceFiles are the files of a take, and the names that a set has for them.
var evidenceFiles = map[string]string{
	"goroutine.0.pb.gz": "goroutine.pb.gz",
	"memory.0.pb.gz":    "memory.pb.gz",
	"growth.0.pb.gz":    "growth.pb.gz",
	"peak.pb.gz":        "peak.pb.gz",
	"refs.2.pb.gz":      "refs.pb.gz",
	"inuse.2.pb.gz":     "inuse.pb.gz",
	"heap.2.pb.gz":      "heap.pb.gz",
}

// readEvidence reads a set. What was not written in time is missing.
func readEvidence(dir string) (*take, error) {
	text, err := os.ReadFile(filepath.Join(dir, "evidence.txt"))
	if err != nil {
		return nil, err
	}
	t := newTake()
	t.dir, t.names, t.Moments = filepath.Clean(dir), evidenceFiles, []float64{0}
	if err := t.readEvidenceText(string(text)); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, "evidence.txt"), err)
	}
	for file, name := range evidenceFiles {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if os.IsNotExist(err) && name == "heap.pb.gz" {
			continue // refs and inuse have more
		}
		if os.IsNotExist(err) {
			t.Missing[strings.TrimSuffix(name, ".pb.gz")] = "not in the set"
			continue
		}
		if err == nil {
			err = checkFile(name, data)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Join(dir, name), err)
		}
		t.files[file] = data
	}
	return t, nil
}

// readEvidenceText reads lines such as “memory limit: 268435456 bytes (cgroup)”,
// up to the first empty line. The allocations that have waited follow.
func (t *take) readEvidenceText(text string) (err error) {
	t.waiting = readWaiting(text)
	text, _, _ = strings.Cut(text, "\n\n")
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch key {
		case "reason":
			t.Reason = "evidence: " + value
		case "time":
			if t.Time, err = time.Parse(time.RFC3339Nano, value); err != nil {
				return fmt.Errorf("damaged: %w", err)
			}
		case "memory limit":
			fmt.Sscanf(value, "%d bytes", &t.Limit)
		case "program":
			t.Program = value
		}
	}
	if t.Time.IsZero() {
		return errors.New("damaged: it has no time")
	}
	return nil
}
