// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

// This file replays edits of upstream's files, which is the operation behind
// save and rebase. A delta is the change that one commit (or one unsaved edit)
// made to one file, with its change list. Replay sorts the deltas in the order
// of the series and merges each, by git's three-way merge, into the file's
// current state. That state is not always the one that the commit edited: save
// may move an edit to an earlier change list, and rebase replays on another
// release. The result has one delta for each change list and file. Replay
// writes only blobs.

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A delta is a change of one file. from and to are the blobs before and after.
// An empty blob means that there is no file.
type delta struct {
	list     string
	path     string
	from, to string
	commit   string // describes the commit; "" for an unsaved edit
}

// A replay is a replay in progress. state has the present blobs of the files
// that the deltas touch.
type replay struct {
	*repo
	state  map[string]string
	steps  []step
	spaces bool // white space alone makes no conflict
}

// A step is a delta, and how it came in.
type step struct {
	delta
	how       stepKind
	why       string     // for stepConflict
	conflicts []conflict // for stepConflict, if lines conflict
}

type stepKind int

const (
	stepSame     stepKind = iota // the file is as the delta expects it
	stepMerged                   // the file is not as the delta expects it, and the edit merges
	stepThere                    // the file is as the delta makes it already
	stepConflict                 // left out, or merged without the edits in conflict
)

// replayDeltas applies the deltas to base in the order of series. It describes
// each conflict in a line.
func (r *repo) replayDeltas(base string, series []string, deltas []delta) (replayed []delta, conflicts []string, err error) {
	p := &replay{repo: r}
	replayed, err = p.run(base, series, deltas)
	for _, s := range p.steps {
		if s.how == stepConflict {
			conflicts = append(conflicts, fmt.Sprintf("%s: change list %s %s", s.path, s.list, s.why))
		}
	}
	return replayed, conflicts, err
}

// run applies the deltas to base in the order of series, and makes p.steps.
func (p *replay) run(base string, series []string, deltas []delta) (replayed []delta, err error) {
	var paths []string
	for _, d := range deltas {
		paths = append(paths, d.path)
	}
	if p.state, err = p.blobs(base, paths); err != nil {
		return nil, err
	}
	ordered := slices.Clone(deltas)
	slices.SortStableFunc(ordered, func(a, b delta) int {
		return cmp.Or(cmp.Compare(slices.Index(series, a.list), slices.Index(series, b.list)), cmp.Compare(a.path, b.path))
	})
	for _, d := range ordered {
		before := p.state[d.path]
		if err := p.apply(d); err != nil {
			return nil, err
		}
		last := len(replayed) - 1
		if last < 0 || replayed[last].list != d.list || replayed[last].path != d.path {
			replayed = append(replayed, delta{list: d.list, path: d.path, from: before})
			last++
		}
		replayed[last].to = p.state[d.path]
	}
	return slices.DeleteFunc(replayed, func(d delta) bool { return d.from == d.to }), nil
}

// apply applies one delta, or records a conflict.
func (p *replay) apply(d delta) error {
	s := step{delta: d}
	switch current := p.state[d.path]; {
	case current == d.to:
		s.how = stepThere
	case current == d.from:
		p.state[d.path] = d.to
	case current == "":
		s.how, s.why = stepConflict, "edits a file that is gone"
	default:
		merged, conflicts, err := p.mergeBlobs(current, d.from, d.to, p.spaces)
		if err != nil {
			return fmt.Errorf("%s: %v", d.path, err)
		}
		p.state[d.path], s.how = merged, stepMerged
		if len(conflicts) > 0 {
			s.how, s.why, s.conflicts = stepConflict, "edits lines that have changed", conflicts
		}
	}
	p.steps = append(p.steps, s)
	return nil
}

// deltas returns the changes between two trees, for a change list, and a
// problem for each change that no change list may make.
func (r *repo) deltas(from, to, list string) (deltas []delta, problems []string, err error) {
	out, err := r.git("diff-tree", "-r", "-z", "--no-renames", from, to)
	if err != nil {
		return nil, nil, err
	}
	fields := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		head, path := strings.Fields(fields[i]), fields[i+1]
		d := delta{list: list, path: path, from: head[2], to: head[3]}
		switch head[4] {
		case "A":
			d.from = ""
		case "D":
			d.to = ""
		}
		if !inOverlay(path) {
			problems = append(problems, fmt.Sprintf("%s: outside the overlay, which is %s", path, strings.Join(overlayDirs, ", ")))
		} else if head[4] != "D" && head[1] != fileMode(path) {
			problems = append(problems, fmt.Sprintf("%s: has mode %s, and would get %s", path, head[1], fileMode(path)))
		}
		deltas = append(deltas, d)
	}
	return deltas, problems, nil
}

// overlayOf makes an overlay from our files, which stand whole, and from
// replayed edits, which become patches. lists are the change lists in order.
func (r *repo) overlayOf(lists []changeList, ours map[string]overlayFile, edits []delta) (*overlay, error) {
	o := &overlay{lists: slices.Clone(lists), files: ours}
	for i := range o.lists {
		c := &o.lists[i]
		var files []string
		for _, name := range slices.Sorted(maps.Keys(ours)) {
			if ours[name].list == c.name {
				files = append(files, name)
			}
		}
		if !slices.Equal(files, slices.Sorted(slices.Values(c.files))) {
			c.files = files
		}
	}
	for _, d := range edits {
		data, err := makePatch(r, d.path, d.from, d.to)
		if err != nil {
			return nil, err
		}
		o.files[d.path+"."+d.list+patchExt] = overlayFile{list: d.list, target: d.path, patch: true, data: data}
	}
	return o, nil
}

// contents returns the contents of a blob.
func (r *repo) contents(blob string) ([]byte, error) {
	text, err := r.git("cat-file", "blob", blob)
	return []byte(text), err
}

// series returns the names of change lists.
func series(lists []changeList) []string {
	var names []string
	for _, c := range lists {
		names = append(names, c.name)
	}
	return names
}
