// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"time"
)

// An event is one line of the stream that tally reads. It is an event of
// test2json, a build event of cmd/go (go help buildjson), or one of the three
// events that the function section of tally.bash writes.
type event struct {
	Action  string
	Package string
	Test    string // if empty, the event is the package's
	Output  string
	Elapsed float64

	ImportPath string // of a build event

	Section string    // of a section or late event of tally.bash
	Code    int       // of an exit event of tally.bash
	Time    time.Time // when the event happened; it may be read later (at_once)

	Processor float64 // of an exit event: seconds of processors, of all processes
}

// eachEvent calls f for each event in a stream, and copies all other lines to
// out.
func eachEvent(in io.Reader, out io.Writer, f func(event)) error {
	r := bufio.NewReader(in)
	for {
		line, err := r.ReadBytes('\n')
		if len(line) > 0 {
			if e, ok := parseEvent(line); ok {
				f(e)
			} else if _, err := out.Write(line); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func parseEvent(line []byte) (e event, ok bool) {
	if !bytes.HasPrefix(line, []byte("{")) {
		return e, false
	}
	err := json.Unmarshal(line, &e)
	return e, err == nil && e.Action != ""
}
