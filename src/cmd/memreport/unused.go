// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Slices, strings' buffers and maps below a path have capacity that holds
// nothing.

package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// unusedPart is the part of a path's bytes that is capacity without a use. What
// grows by itself has less: a slice up to a half, and a map up to 64%. Tables that
// have just split have 448 of 1024 entries, and an array for 1024 pairs of strings
// is rounded up from 34 to 41 kB.
const unusedPart = 2.0 / 3

// Reasons for capacity that holds nothing.
const (
	tablesStay = "a map keeps its tables when entries are deleted: copy it to a new map"
	arraysStay = "a slice keeps its whole array: copy what is needed, as with slices.Clone"
)

func findUnused(f *facts) (all []finding) {
	if f.Refs == nil {
		return nil
	}
	least := f.least(standingShare, standingLeast)
	for _, t := range f.Refs.unusedPaths(nil, least) {
		e := t.at()
		all = append(all, finding{
			Kind:      "unused-capacity",
			Signature: t.String(),
			Text:      fmt.Sprintf("%s of %s at one path is capacity that holds nothing.", formatSize(e.Unused), formatSize(e.Bytes)),
			Place:     t.String(),
			Bytes:     e.Unused,
			Details:   slices.Concat(e.unusedReason(), f.keptBy(t.String()), f.residentOf(e.Unused)),
			Profile:   "refs",
			More: fmt.Sprintf("go tool pprof -top -sample_index=unused_space %s %s",
				quote("-focus=^"+regexp.QuoteMeta(t[0].Name)+"$"), f.take.path(f.take.last("refs"))),
			group: standing,
		})
	}
	return all
}

// unusedPaths returns the deepest paths below e, which ends t, that are mostly
// unused.
func (e *element) unusedPaths(t trail, least int64) (all []trail) {
	for _, c := range e.Children {
		if c.isExplanation() || c.isPool() || c.Unused < least {
			continue
		}
		below := append(t[:len(t):len(t)], c)
		deeper := c.unusedPaths(below, least)
		if len(deeper) == 0 && float64(c.Unused) >= unusedPart*float64(c.Bytes) {
			deeper = []trail{below}
		}
		all = append(all, deeper...)
	}
	return all
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
	return []string{allocatedBy + best.Code}
}

// unusedReason says why objects at e have more than they use, and how large they
// are on average.
func (e *element) unusedReason() (lines []string) {
	switch {
	case strings.HasPrefix(e.Name, "map[") && strings.HasSuffix(e.Name, "[table]"):
		lines = append(lines, because+tablesStay)
	case strings.Contains(e.Name, "[]"):
		lines = append(lines, because+arraysStay)
	}
	if e.Objects > 1 {
		lines = append(lines, fmt.Sprintf("%s of %s on average", plural(e.Objects, "object"), formatSize(e.Bytes/e.Objects)))
	}
	return lines
}

// joinUnused makes capacity that holds nothing a detail of the finding that its
// path grows: what comes there is as much too large as what is there.
func joinUnused(all []finding) []finding {
	return joinTo(all, grownAround, func(y *finding, x finding) {
		text, _, _ := strings.Cut(x.Text, " at one path")
		below := strings.TrimPrefix(x.Place, y.Place)
		y.Details = append(y.Details, text+" there"+below+" is capacity that holds nothing")
		for _, d := range x.Details {
			if !strings.HasPrefix(d, allocatedBy) {
				y.Details = append(y.Details, d)
			}
		}
	})
}

// grownAround returns the finding that the path of x grows, or one above it.
func grownAround(all []finding, x finding) *finding {
	if x.Kind != "unused-capacity" {
		return nil
	}
	for i, y := range all {
		if y.Kind == "live-growth" && strings.HasPrefix(x.Place+pathSeparator, y.Place+pathSeparator) {
			return &all[i]
		}
	}
	return nil
}
