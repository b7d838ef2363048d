// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Slices, strings' buffers and maps below a path have capacity that holds
// nothing.

package main

import (
	"fmt"
	"regexp"
	"strings"
)

func findUnused(f *facts) (all []finding) {
	if f.Refs == nil {
		return nil
	}
	least := f.least(standingShare, standingLeast)
	for _, root := range f.Refs.Children {
		if root.isExplanation() {
			continue
		}
		t := unusedPath(trail{root}, least)
		if t == nil {
			continue
		}
		e := t.at()
		all = append(all, finding{
			Kind:      "unused-capacity",
			Signature: t.String(),
			Text:      fmt.Sprintf("%s of %s at one path is capacity that holds nothing.", formatSize(e.Unused), formatSize(e.Bytes)),
			Place:     t.String(),
			Bytes:     e.Unused,
			Details:   f.keptBy(t.String()),
			Profile:   "refs",
			More: fmt.Sprintf("go tool pprof -top -sample_index=unused_space %s %s",
				quote("-focus=^"+regexp.QuoteMeta(t[0].Name)+"$"), f.take.path("refs.2.pb.gz")),
			group: standing,
		})
	}
	return all
}

// unusedPath returns the deepest path with most of the unused capacity.
func unusedPath(t trail, least int64) trail {
	e := t.at()
	if e.Unused < least {
		return nil
	}
	for _, c := range e.Children {
		if float64(c.Unused) >= mostPart*float64(e.Unused) {
			if deeper := unusedPath(append(t[:len(t):len(t)], c), least); deeper != nil {
				return deeper
			}
		}
	}
	return t
}

// keptBy says who allocated most of what a path has.
func (f *facts) keptBy(path string) []string {
	path = strings.TrimPrefix(path, stackRoot+pathSeparator)
	var best site
	for _, s := range f.Sites {
		if strings.TrimPrefix(s.Path, stackRoot+pathSeparator) == path && s.Bytes > best.Bytes {
			best = s
		}
	}
	if best.Code == "" {
		return nil
	}
	return []string{"allocated by " + best.Code}
}
