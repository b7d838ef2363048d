// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

// This file has zero-context patches: it reads a patch to check it, and makes
// one from two versions of a file. Git applies patches (stack.go). A patch
// names both versions of its file by their full blob hashes. Before graft
// applies a patch, it checks that the file is the first of these versions. A
// patch has no function names after @@, because they are upstream's text.

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// A patch has the contents of one patch file.
type patch struct {
	target  string // the file it edits
	pre     string // blob that it applies to
	settles string // for a variant: the digest of the conflicts that it settles, if any
	hunks   []hunk
	context []int // line numbers of lines of context
	heading bool  // whether there is text after @@
	removed int
	added   []textLine
}

// A hunk has its header and the number of its first old line.
type hunk struct {
	header string
	start  int
}

// A textLine is a line of a file, with its number in that file or, for a line
// that a patch adds, in the patch.
type textLine struct {
	num  int
	text string
}

var (
	indexRE   = regexp.MustCompile(`^index ([0-9a-f]{40})\.\.[0-9a-f]{40} 100(644|755)$`)
	settlesRE = regexp.MustCompile(`^settles ([0-9a-f]{16})$`)
	hunkRE    = regexp.MustCompile(`^@@ -([0-9]+)(,[0-9]+)? \+[0-9]+(,[0-9]+)? @@(.*)$`)
)

// parsePatch reads a patch that edits one file in place.
func parsePatch(text string) (*patch, error) {
	p := &patch{}
	num := 0
	for line := range strings.Lines(text) {
		num++
		line = strings.TrimSuffix(line, "\n")
		if m := hunkRE.FindStringSubmatch(line); m != nil {
			start, err := strconv.Atoi(m[1])
			if err != nil {
				return nil, fmt.Errorf("line %d: %v", num, err)
			}
			p.hunks = append(p.hunks, hunk{strings.TrimSuffix(line, m[4]), start})
			p.heading = p.heading || m[4] != ""
			continue
		}
		if len(p.hunks) == 0 {
			if err := p.headerLine(line); err != nil {
				return nil, fmt.Errorf("line %d: %v", num, err)
			}
			continue
		}
		switch {
		case strings.HasPrefix(line, "+"):
			p.added = append(p.added, textLine{num, line[1:]})
		case strings.HasPrefix(line, "-"):
			p.removed++
		case strings.HasPrefix(line, " "):
			p.context = append(p.context, num)
		case strings.HasPrefix(line, `\`):
		default:
			return nil, fmt.Errorf("line %d: %q belongs to no hunk", num, line)
		}
	}
	switch {
	case len(p.hunks) == 0:
		return nil, fmt.Errorf("no hunks")
	case p.pre == "":
		return nil, fmt.Errorf("no line \"index\" with both full blob hashes")
	case p.target == "":
		return nil, fmt.Errorf("no line \"diff --git\"")
	}
	return p, nil
}

// headerLine reads a line before the first hunk.
func (p *patch) headerLine(line string) error {
	if rest, ok := strings.CutPrefix(line, "diff --git a/"); ok && p.target == "" {
		target, b, _ := strings.Cut(rest, " b/")
		if target != b {
			return fmt.Errorf("%q names two files", line)
		}
		p.target = target
		return nil
	}
	if m := indexRE.FindStringSubmatch(line); m != nil {
		p.pre = m[1]
		return nil
	}
	if m := settlesRE.FindStringSubmatch(line); m != nil && p.target == "" {
		p.settles = m[1]
		return nil
	}
	if line == "--- a/"+p.target || line == "+++ b/"+p.target {
		return nil
	}
	return fmt.Errorf("%q does not belong before an edit in place", line)
}

// makePatch returns the patch that turns blob pre of a file into blob post.
func makePatch(r *repo, target, pre, post string) ([]byte, error) {
	diff, err := r.git("diff", "-U0", "--no-color", "--no-ext-diff", "--no-textconv", "--full-index", pre, post)
	if err != nil {
		return nil, err
	}
	at := strings.Index(diff, "\n@@ ")
	if at < 0 {
		return nil, fmt.Errorf("%s: not a text file", target)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "diff --git a/%s b/%[1]s\nindex %s..%s %s\n--- a/%[1]s\n+++ b/%[1]s\n", target, pre, post, fileMode(target))
	for line := range strings.Lines(diff[at+1:]) {
		if m := hunkRE.FindStringSubmatch(strings.TrimSuffix(line, "\n")); m != nil {
			line = strings.TrimSuffix(line, m[4]+"\n") + "\n"
		}
		b.WriteString(line)
	}
	return []byte(b.String()), nil
}
