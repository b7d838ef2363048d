// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

// This file replays changes, which is the operation behind save and rebase. A
// delta is the change that one commit (or one unsaved edit) made to one file,
// with its change list. Replay sorts the deltas in the order of the series and
// merges each, by git's three-way merge, into the file's current state. That
// state is not always the one that the commit edited: save may move an edit to
// an earlier change list, and rebase replays on another release. The result is
// one layer per change list. Replay writes only blobs.

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A delta is a change of one file. from and to are the blobs before and after.
// An empty blob means that there is no file.
type delta struct {
	list     string
	path     string
	from, to string
}

// A layer has the changes that one change list makes to files: the blobs before
// and after.
type layer struct {
	list      string
	pre, post map[string]string
}

// A replay is a replay in progress. state has the present blobs of the files
// that the deltas touch.
type replay struct {
	*repo
	state map[string]string
	steps []step
	stuck map[string]bool // for save: files with a conflict, whose later deltas are ignored
	all   bool            // for rebase: leave edits in conflict out and go on with the file, and pass over white space
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
	stepConflict                 // left out or, for rebase, merged without the edits in conflict
)

// replayDeltas applies the deltas to base in the order of series. It describes
// each conflict in a line.
func (r *repo) replayDeltas(base string, series []string, deltas []delta) (layers []layer, conflicts []string, err error) {
	p := &replay{repo: r}
	layers, err = p.run(base, series, deltas)
	for _, s := range p.steps {
		if s.how == stepConflict {
			conflicts = append(conflicts, fmt.Sprintf("%s: change list %s %s", s.path, s.list, s.why))
		}
	}
	return layers, conflicts, err
}

// run applies the deltas to base in the order of series, and makes p.steps.
func (p *replay) run(base string, series []string, deltas []delta) (layers []layer, err error) {
	var paths []string
	for _, d := range deltas {
		paths = append(paths, d.path)
	}
	slices.Sort(paths)
	paths = slices.Compact(paths)
	p.stuck = map[string]bool{}
	if p.state, err = p.blobs(base, paths); err != nil {
		return nil, err
	}
	ordered := slices.Clone(deltas)
	slices.SortStableFunc(ordered, func(a, b delta) int {
		return cmp.Compare(slices.Index(series, a.list), slices.Index(series, b.list))
	})
	for _, name := range series {
		l := layer{name, map[string]string{}, map[string]string{}}
		for len(ordered) > 0 && ordered[0].list == name {
			d := ordered[0]
			ordered = ordered[1:]
			if _, ok := l.pre[d.path]; !ok {
				l.pre[d.path] = p.state[d.path]
			}
			if err := p.apply(d); err != nil {
				return nil, err
			}
		}
		for path, pre := range l.pre {
			if post := p.state[path]; post != pre {
				l.post[path] = post
			}
		}
		layers = append(layers, l)
	}
	return layers, nil
}

// apply applies one delta, or records a conflict.
func (p *replay) apply(d delta) error {
	current := p.state[d.path]
	switch {
	case p.stuck[d.path]:
		return nil
	case current == d.to:
		p.steps = append(p.steps, step{delta: d, how: stepThere})
		return nil
	case current == d.from:
		p.state[d.path] = d.to
		p.steps = append(p.steps, step{delta: d})
		return nil
	case current == "":
		p.conflict(d, "edits a file that is gone", nil)
		return nil
	case d.from == "":
		p.conflict(d, "makes a file that exists already, with other contents", nil)
		return nil
	case d.to == "":
		p.conflict(d, "removes a file that has changed", nil)
		return nil
	}
	merged, conflicts, err := p.mergeBlobs(current, d.from, d.to, p.all)
	if err != nil {
		return fmt.Errorf("%s: %v", d.path, err)
	}
	if len(conflicts) > 0 {
		p.conflict(d, "edits lines that have changed", conflicts)
		if p.all {
			p.state[d.path] = merged
		}
		return nil
	}
	p.state[d.path] = merged
	p.steps = append(p.steps, step{delta: d, how: stepMerged})
	return nil
}

func (p *replay) conflict(d delta, why string, conflicts []conflict) {
	p.stuck[d.path] = !p.all
	p.steps = append(p.steps, step{d, stepConflict, why, conflicts})
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

// overlayOf makes an overlay from layers. It has new files whole, as the last
// change list leaves them, and edits as patches. lists are the change lists in
// order. upstream reports whether a file exists upstream.
func (r *repo) overlayOf(lists []changeList, layers []layer, upstream func(string) bool) (*overlay, []string, error) {
	o := &overlay{lists: slices.Clone(lists), files: map[string]overlayFile{}}
	var problems []string
	created := map[string][]string{}
	for _, l := range layers {
		for path, post := range l.post {
			pre := l.pre[path]
			var data []byte
			var err error
			name := path
			switch {
			case upstream(path) && post == "":
				problems = append(problems, fmt.Sprintf("%s: change list %s removes a file of upstream's: a patch only edits", path, l.list))
				continue
			case pre != "" && post == "":
				problems = append(problems, fmt.Sprintf("%s: change list %s removes a file of another's: a patch only edits", path, l.list))
				continue
			case pre != "":
				name = path + "." + l.list + patchExt
				data, err = makePatch(r, path, pre, post)
				if made, ok := o.files[path]; ok && err == nil {
					made.data, err = r.contents(post)
					o.files[path] = made
				}
			case strings.HasSuffix(path, patchExt) || isDroppings(path):
				problems = append(problems, fmt.Sprintf("%s: the overlay cannot hold a file with this name", path))
				continue
			default:
				created[l.list] = append(created[l.list], path)
				data, err = r.contents(post)
			}
			if err != nil {
				return nil, nil, err
			}
			o.files[name] = overlayFile{list: l.list, target: path, patch: name != path, data: data}
		}
	}
	for i := range o.lists {
		c := &o.lists[i]
		files := created[c.name]
		slices.Sort(files)
		if !slices.Equal(files, slices.Sorted(slices.Values(c.files))) {
			c.files = files
		}
	}
	slices.Sort(problems)
	return o, problems, nil
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
