// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
)

// A record is the part of a result that is kept, as a line of the file to which
// -save appends. A whole run takes long, so doc/compat.md may combine several
// runs.
type record struct {
	Entry, Pins, Check string
	Verdict            verdict
	Fork, Upstream     string  // results with each toolchain
	Reason             string  `json:",omitempty"` // of a failure with gorefs, or of a skip
	CPU                float64 // seconds, with gorefs
	ForkVersion        string
	UpstreamVersion    string
}

func (s *session) record(r result) record {
	rec := record{
		Entry: r.entry.name, Pins: strings.Join(r.entry.pins, ", "), Check: r.check.name,
		Verdict: r.verdict(), Fork: r.fork.String(), Upstream: r.upstream.String(),
		CPU: r.fork.cpu.Seconds(), ForkVersion: s.fork.version, UpstreamVersion: s.upstream.version,
	}
	if r.fork.err != nil {
		rec.Reason = r.reason()
	}
	return rec
}

func (s *session) records(results []result) []record {
	var records []record
	for _, r := range results {
		records = append(records, s.record(r))
	}
	return records
}

func appendRecords(file string, records []record) error {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	for _, r := range records {
		if err := json.NewEncoder(f).Encode(r); err != nil {
			f.Close()
			return err
		}
	}
	return f.Close()
}

// readRecords returns the last record of each check, in the table's order. For
// a check without a record it makes one with the verdict notRun.
func readRecords(file string, table []entry) ([]record, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	last := map[[2]string]record{}
	for line := range strings.Lines(string(data)) {
		var r record
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		last[[2]string{r.Entry, r.Check}] = r
	}
	var records []record
	for _, e := range table {
		for _, c := range e.checks {
			if r, ok := last[[2]string{e.name, c.name}]; ok {
				records = append(records, r)
			} else {
				records = append(records, record{Entry: e.name, Pins: strings.Join(e.pins, ", "), Check: c.name, Verdict: notRun, Fork: "not run", Upstream: "not run"})
			}
		}
	}
	return records, nil
}

// versions returns the versions of a side from the records.
func versions(records []record, version func(record) string) string {
	var all []string
	for _, r := range records {
		if v := version(r); v != "" && !slices.Contains(all, v) {
			all = append(all, v)
		}
	}
	return strings.Join(all, ", ")
}
