// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file writes a report for programs. The comment of package main documents
// the format. Within a version, keys are added and never changed.

package main

import (
	"encoding/json"
	"io"
	"time"
)

const reportVersion = 1

// A report has the content of the text.
type report struct {
	Version    int                  `json:"version"`
	Program    string               `json:"program"`
	Time       time.Time            `json:"time"`
	Seconds    float64              `json:"seconds"`
	Compared   bool                 `json:"compared"`
	Limit      int64                `json:"limit"` // 0: not known
	Classes    map[class]classSizes `json:"classes"`
	Goroutines int64                `json:"goroutines"`
	Findings   []finding            `json:"findings"`
	Missing    []string             `json:"missing"`
}

// classSizes has the bytes of a class.
type classSizes struct {
	Now    int64  `json:"now"`
	Change *int64 `json:"change,omitempty"` // nil: not known
}

func newReport(f *facts, findings []finding) *report {
	r := &report{
		Version:    reportVersion,
		Program:    f.Program,
		Time:       f.Time,
		Seconds:    f.Watch.Seconds(),
		Compared:   f.Compare,
		Limit:      f.Limit,
		Classes:    make(map[class]classSizes),
		Goroutines: f.goroutines(),
		Findings:   findings,
		Missing:    append([]string{}, f.Missing...),
	}
	for _, c := range classes {
		if now, ok := f.now().Classes[c]; ok {
			sizes := classSizes{Now: now}
			if n, ok := f.change(c); ok && !f.once() {
				sizes.Change = &n
			}
			r.Classes[c] = sizes
		}
	}
	return r
}

func writeJSON(w io.Writer, f *facts, findings []finding) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "\t")
	return e.Encode(newReport(f, findings))
}
