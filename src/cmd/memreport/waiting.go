// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Allocations for which there was no memory. Evidence lets large ones wait
// until its first files are written, and has their call stacks in evidence.txt.
// If the process is killed then, nothing else tells what it was about to do:
// for example, to read a request of gigabytes.

package main

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// readWaiting reads the allocations in evidence.txt: a line with the bytes of
// each, and lines with its frames, innermost first.
func readWaiting(text string) []site {
	_, text, _ = strings.Cut(text, "\nallocations that have waited for this set:\n")
	var all []site
	index := make(map[string]int)
	for text != "" {
		var bytes int64
		line, rest, _ := strings.Cut(text, "\n")
		if n, _ := fmt.Sscanf(line, "\t%d bytes", &bytes); n != 1 || bytes < 0 {
			break
		}
		var stack []frame
		for strings.HasPrefix(rest, "\t\t") {
			line, rest, _ = strings.Cut(rest, "\n")
			stack = append(stack, parseFrame(line[2:]))
		}
		own, _ := ownFrame(stack)
		i, ok := index[own.String()]
		if !ok {
			i = len(all)
			index[own.String()] = i
			all = append(all, site{Code: own.String()})
		}
		all[i].Bytes += bytes
		text = rest
	}
	return all
}

// parseFrame parses “main.upload /src/main.go:68”.
func parseFrame(line string) frame {
	name := function(line)
	file := strings.TrimPrefix(line[len(name):], " ")
	f := frame{function: name, file: file}
	if i := strings.LastIndexByte(file, ':'); i >= 0 {
		f.file = file[:i]
		f.line, _ = strconv.ParseInt(file[i+1:], 10, 64)
	}
	return f
}

func findWaiting(f *facts) (all []finding) {
	for _, s := range f.take.waiting {
		if s.Bytes < f.least(standingShare, standingLeast) {
			continue // the last of many
		}
		all = append(all, finding{
			Kind:      "allocation-waiting",
			Signature: function(s.Code),
			Text:      fmt.Sprintf("%s were about to be allocated at one place, and waited for this set.", formatSize(s.Bytes)),
			Place:     s.Code,
			Bytes:     s.Bytes,
			Details:   []string{f.take.Reason},
			Profile:   "heap",
			More:      "less " + quote(filepath.Join(f.take.dir, "evidence.txt")),
			group:     growing,
		})
	}
	return all
}
