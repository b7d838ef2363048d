// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

// This file finds copied text: runs of our lines that are, in the same order,
// in a file of the same directory upstream. Lines that any program has do not
// count: blank lines, punctuation, the lines of import blocks (except imports
// with a name), package clauses, a bare else, return, break or continue, build
// constraints and the copyright notice.

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// runLength is the number of lines in a row that make a copy.
const runLength = 6

// sourceExts has the extensions of the files whose text is compared.
var sourceExts = map[string]bool{".go": true, ".s": true, ".h": true, ".c": true, ".bash": true}

var ordinaryRE = regexp.MustCompile(`^(` + strings.Join([]string{
	`[\s{}()\[\],;]*`,
	`import \(`, `"[\w./-]+"`,
	`package \w+`,
	`//go:build .*`,
	`(\} )?else \{`, `return`, `break`, `continue`,
	`// Copyright.*`,
	`// Use of this source code is governed by a BSD-style`,
	`// license that can be found in the LICENSE file\.`,
}, `|`) + `)$`)

// telling returns the lines that count, with white space folded.
func telling(lines []textLine) []textLine {
	var out []textLine
	for _, l := range lines {
		text := strings.Join(strings.Fields(l.text), " ")
		if !ordinaryRE.MatchString(text) {
			out = append(out, textLine{l.num, text})
		}
	}
	return out
}

// numbered splits a file into lines.
func numbered(text string) []textLine {
	var out []textLine
	for line := range strings.Lines(text) {
		out = append(out, textLine{len(out) + 1, strings.TrimSuffix(line, "\n")})
	}
	return out
}

// runAt returns runLength lines, starting at index i, as one string.
func runAt(lines []textLine, i int) string {
	var b strings.Builder
	for _, l := range lines[i : i+runLength] {
		b.WriteString(l.text + "\n")
	}
	return b.String()
}

// A copyFinder has the runs of the upstream directories in which it has
// searched.
type copyFinder struct {
	upstream *upstream
	runs     map[string]map[string]string // the file that has a run, by directory and run
}

// find returns a finding for each run of lines that upstream has in dir.
func (f *copyFinder) find(name, dir string, lines []textLine) ([]string, error) {
	known, err := f.load(dir)
	if err != nil {
		return nil, err
	}
	var findings []string
	lines = telling(lines)
	for i := 0; i+runLength <= len(lines); i++ {
		if file := known[runAt(lines, i)]; file != "" {
			findings = append(findings, fmt.Sprintf("%s:%d: %d or more lines in a row also stand in upstream's %s",
				name, lines[i].num, runLength, path.Join(dir, file)))
			i += runLength - 1
		}
	}
	return findings, nil
}

// load returns the runs of one directory of upstream.
func (f *copyFinder) load(dir string) (map[string]string, error) {
	if runs := f.runs[dir]; runs != nil {
		return runs, nil
	}
	runs := map[string]string{}
	entries, err := os.ReadDir(filepath.Join(f.upstream.dir, filepath.FromSlash(dir)))
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	for _, e := range entries {
		if !sourceExts[path.Ext(e.Name())] || !f.upstream.exists(path.Join(dir, e.Name())) {
			continue
		}
		data, err := f.upstream.read(path.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		lines := telling(numbered(string(data)))
		for i := 0; i+runLength <= len(lines); i++ {
			runs[runAt(lines, i)] = e.Name()
		}
	}
	f.runs[dir] = runs
	return runs, nil
}
