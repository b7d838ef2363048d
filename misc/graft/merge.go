// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

// This file merges three versions of a file by git's three-way merge. Where the
// edits conflict, the result has the lines of the version into which the change
// is merged. Thus an edit that conflicts is left out whole, and the others are
// in.

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A conflict is one place where the edit from base to theirs does not merge into
// ours.
type conflict struct {
	line               int // number of the first line in the merged file
	ours, base, theirs string
}

// markerSize is the length of git's conflict markers. No source has lines that
// begin like these.
const markerSize = 61

// mergeBlobs merges the change from blob base to blob theirs into blob ours. If
// spaces is set, white space alone makes no conflict.
func (r *repo) mergeBlobs(ours, base, theirs string, spaces bool) (blob string, conflicts []conflict, err error) {
	var texts [3]string
	for i, blob := range []string{ours, base, theirs} {
		if texts[i], err = r.git("cat-file", "blob", blob); err != nil {
			return "", nil, err
		}
	}
	if spaces {
		texts[1], texts[2] = respace(texts[0], texts[1], texts[2])
	}
	return r.mergeTexts(texts[0], texts[1], texts[2])
}

// mergeTexts merges the change from base to theirs into ours, and stores the
// result.
func (r *repo) mergeTexts(ours, base, theirs string) (blob string, conflicts []conflict, err error) {
	dir, err := os.MkdirTemp("", "graft-merge-")
	if err != nil {
		return "", nil, err
	}
	defer os.RemoveAll(dir)
	args := []string{"merge-file", "-p", "-q", "--diff3", fmt.Sprintf("--marker-size=%d", markerSize)}
	for i, text := range []string{ours, base, theirs} {
		if strings.Contains(text, "\x00") {
			return "", nil, errors.New("not a text file")
		}
		file := filepath.Join(dir, fmt.Sprint(i))
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			return "", nil, err
		}
		args = append(args, file)
	}
	out, err := r.command(identity{}, args...).Output()
	// The exit status is the number of conflicts. Above 127 it means an
	// error.
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() < 0 || exit.ExitCode() > 127) {
		return "", nil, fmt.Errorf("git merge-file: %v", err)
	}
	merged, conflicts := leaveOut(string(out))
	blobs, err := r.writeBlobs(map[string][]byte{"": []byte(merged)})
	return blobs[""], conflicts, err
}

// leaveOut splits git's result into the merged file, which has our side of each
// conflict, and the conflicts.
func leaveOut(out string) (merged string, conflicts []conflict) {
	var b strings.Builder
	var c conflict
	into := &b // where lines go
	var sides [3]strings.Builder
	num := 1
	for line := range strings.Lines(out) {
		switch marker(line) {
		case '<':
			c = conflict{line: num}
			sides = [3]strings.Builder{}
			into = &sides[0]
		case '|':
			into = &sides[1]
		case '=':
			into = &sides[2]
		case '>':
			c.ours, c.base, c.theirs = sides[0].String(), sides[1].String(), sides[2].String()
			conflicts = append(conflicts, c)
			b.WriteString(c.ours)
			num += strings.Count(c.ours, "\n")
			into = &b
		default:
			into.WriteString(line)
			if into == &b {
				num++
			}
		}
	}
	return b.String(), conflicts
}

// marker returns the character of a line that is a conflict marker, or 0.
func marker(line string) byte {
	if len(line) <= markerSize || strings.Count(line[:markerSize], line[:1]) != markerSize {
		return 0
	}
	if end := line[markerSize]; end != ' ' && end != '\n' {
		return 0
	}
	return line[0]
}

// digest returns a hash of the conflicts of a file, or "" if there are none.
func digest(conflicts []conflict) string {
	if len(conflicts) == 0 {
		return ""
	}
	h := sha256.New()
	for _, c := range conflicts {
		fmt.Fprintf(h, "%q %q %q\n", c.ours, c.base, c.theirs)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}
