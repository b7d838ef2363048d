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
	arraysStay  = "a slice keeps its whole array: copy a part that stays (slices.Clone), and let go of large buffers"
	buffersStay = "a bytes.Buffer keeps its capacity: let go of large ones"
	poolsKeep   = "a pool keeps objects of any size: put back only those that are not large"
	textsStay   = "a string keeps the text of which it is a part: copy it, with strings.Clone"
	tablesStay  = "a map keeps its tables when entries are deleted: a new map has those that it needs"
	largeTable  = 4 << 10 // bytes: a map that has never been large has one group
)

// unusedThere begins a detail of another finding.
const unusedThere = "capacity that holds nothing: "

func findUnused(f *facts) (all []finding) {
	if f.Refs == nil {
		return nil
	}
	least := f.least(standingShare, standingLeast)
	for _, t := range f.Refs.unusedPaths(nil, least) {
		e, why := t.at(), t.at().unusedReason()
		all = append(all, finding{
			Kind:      "unused-capacity",
			Signature: t.String(),
			Text:      fmt.Sprintf("%s of %s at one path is capacity that holds nothing.", formatSize(e.Unused), formatSize(e.Bytes)),
			Place:     t.String(),
			Bytes:     e.Unused,
			Details:   slices.Concat(why, f.keptBy(t.String()), f.residentOf(e.Unused)),
			Profile:   "refs",
			More: fmt.Sprintf("go tool pprof -top -sample_index=unused_space %s %s",
				quote("-focus=^"+regexp.QuoteMeta(t[0].Name)+"$"), f.take.path(f.take.last("refs"))),
			group:  standing,
			unused: &capacity{formatSize(e.Unused) + " of " + formatSize(e.Bytes), why, e.NewBytes},
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

// A capacity is what a path has that holds nothing.
type capacity struct {
	sizes string
	why   []string
	came  int64 // bytes that came at the path, with those in use
}

// unusedReason says why objects at e have more than they use, and how large they
// are on average.
func (e *element) unusedReason() (lines []string) {
	average := e.Bytes / max(e.Objects, 1)
	if slices.ContainsFunc(e.Children, func(c *element) bool { return c.isPool() && float64(c.Unused) >= unusedPart*float64(e.Unused) }) {
		lines = append(lines, because+poolsKeep)
	}
	switch t := e.refersBy(); {
	case strings.HasPrefix(e.Name, "bytes.Buffer.buf "):
		lines = append(lines, because+buffersStay)
	case strings.HasPrefix(t, "[]"):
		lines = append(lines, because+arraysStay)
	case t == "string":
		lines = append(lines, because+textsStay)
	case strings.HasSuffix(e.Name, "[table]") && average >= largeTable:
		lines = append(lines, tablesStay)
	}
	if e.Objects > 1 {
		lines = append(lines, fmt.Sprintf("%s of %s on average", plural(e.Objects, "object"), formatSize(average)))
	}
	return lines
}

// refersBy returns the type of the references to the objects at e: of a map's
// values, of a slice's elements, or of a field or variable.
func (e *element) refersBy() string {
	if t := e.containerOf([]string{"[value]"}); strings.HasPrefix(t, "map[") {
		depth := 0
		for i, r := range t {
			switch r {
			case '[':
				depth++
			case ']':
				if depth--; depth == 0 {
					return t[i+1:]
				}
			}
		}
	}
	if t, ok := strings.CutPrefix(e.containerOf([]string{"[elem]"}), "[]"); ok {
		return t
	}
	if e.isContainer() {
		return ""
	}
	_, t, _ := strings.Cut(e.Name, " ")
	return t
}

// joinUnused makes capacity that holds nothing a detail of the finding that its
// path grows, if most of what came is there: what comes is as much too large as
// what is there.
func joinUnused(all []finding) []finding {
	return joinTo(all, grownAround, func(y *finding, x finding) {
		y.Details = append(y.Details, unusedThere+x.unused.sizes+strings.TrimPrefix(x.Place, y.Place))
		y.Details = append(y.Details, x.unused.why...)
	})
}

// grownAround returns the finding that the path of x grows, or one above it.
func grownAround(all []finding, x finding) *finding {
	if x.unused == nil {
		return nil
	}
	for i, y := range all {
		if y.group == growing && y.Profile == "refs" && strings.HasPrefix(x.Place+pathSeparator, y.Place+pathSeparator) &&
			float64(x.unused.came) >= explainedPart*float64(y.Bytes) {
			return &all[i]
		}
	}
	return nil
}
