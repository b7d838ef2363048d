// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

// This file decides to which change list each change in goroot/ goes. A file of
// ours goes whole to the change list that owns it, whoever edits it. An edit of
// a file of upstream's is a delta (replay.go), because several change lists may
// edit that file.

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// collect returns the edits of upstream's files by the commits in goroot/ and
// by uncommitted edits, and the change list of each file of ours, even of one
// that is gone.
func (g *graft) collect(r *repo, o *overlay, name, tree string, upstream func(string) bool) (edits []delta, owner map[string]string, err error) {
	if _, err := r.git("merge-base", "--is-ancestor", upstreamRef, "HEAD"); err != nil {
		return nil, nil, errors.New("goroot/'s HEAD does not stand on upstream's commit: check out the branch " + branch)
	}
	deltas, problems, err := r.committed(o, upstreamRef, "HEAD")
	if err != nil {
		return nil, nil, err
	}
	unsaved, more, err := r.deltas("HEAD", tree, "")
	if err != nil {
		return nil, nil, err
	}
	problems = append(problems, more...)
	owner, _ = o.owners()
	maps.DeleteFunc(owner, func(name, _ string) bool { return upstream(name) })
	for _, d := range append(deltas, unsaved...) {
		problem := ""
		if upstream(d.path) {
			if d.list == "" {
				d.list, problem = assign(name, d.path, edits)
			}
			if d.to == "" {
				problem = fmt.Sprintf("change list %s removes a file of upstream's: a patch only edits", d.list)
			}
			edits = append(edits, d)
		} else {
			problem = g.claim(owner, d, name)
		}
		if problem != "" {
			problems = append(problems, d.path+": "+problem)
		}
	}
	if len(problems) > 0 {
		return nil, nil, unsavable(problems)
	}
	return edits, owner, nil
}

// assign returns the change list for an uncommitted edit of a file of
// upstream's. That is name or, if name is empty, the only change list that
// edits the file. If there is none, or several, problem says so.
func assign(name, path string, edits []delta) (list, problem string) {
	var lists []string
	for _, d := range edits {
		if d.path == path && !slices.Contains(lists, d.list) {
			lists = append(lists, d.list)
		}
	}
	switch {
	case name != "":
		return name, ""
	case len(lists) == 1:
		return lists[0], ""
	case len(lists) > 1:
		return "", fmt.Sprintf("several change lists edit it (%s): name one", strings.Join(lists, ", "))
	}
	return "", "no change list edits this file of upstream's yet: name one"
}

// claim notes the owner of a file of ours that d changes. A file that no
// change list has goes to the list of the first commit that changes it or, if
// no commit does, to the list with the given name.
func (g *graft) claim(owner map[string]string, d delta, name string) (problem string) {
	list := cmp.Or(d.list, name)
	switch have := owner[d.path]; {
	case strings.HasSuffix(d.path, patchExt) || isDroppings(path.Base(d.path)):
		return "the overlay cannot hold a file with this name"
	case have == "" && list == "":
		return "new, and in no change list: name one"
	case have == "":
		owner[d.path] = list
	case d.list != "" && d.list != have:
		g.say("graft: %s belongs to change list %s: the edit by %s (%s) goes there", d.path, have, d.commit, d.list)
	}
	return ""
}

// ours returns the files in owner that a tree has. It returns a problem for
// each that is only listed.
func (r *repo) ours(tree string, owner map[string]string, old *overlay) (files map[string]overlayFile, problems []string, err error) {
	names := slices.Sorted(maps.Keys(owner))
	blobs, err := r.blobs(tree, names)
	if err != nil {
		return nil, nil, err
	}
	listed, _ := old.owners()
	files = map[string]overlayFile{}
	for _, name := range names {
		_, was := old.files[name]
		switch {
		case blobs[name] != "":
			data, err := r.contents(blobs[name])
			if err != nil {
				return nil, nil, err
			}
			files[name] = overlayFile{list: owner[name], target: name, data: data}
		case listed[name] != "" && !was:
			problems = append(problems, name+": a change list lists it, but it does not exist in goroot/")
		}
	}
	return files, problems, nil
}

// committed returns the deltas of the commits after one commit up to another.
func (r *repo) committed(o *overlay, after, last string) (deltas []delta, problems []string, err error) {
	out, err := r.git("log", "--reverse", "--topo-order", "--format=%H%x00%p%x00%s%x00%(trailers:key="+trailer+",valueonly,separator=%x2C)", after+".."+last)
	if err != nil {
		return nil, nil, err
	}
	for line := range strings.Lines(out) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\x00")
		commit, parents, subject, list := f[0], f[1], f[2], f[3]
		about := fmt.Sprintf("commit %.10s %q", commit, subject)
		switch {
		case strings.Contains(parents, " "):
			problems = append(problems, about+": a merge: make the commits one after another")
			continue
		case list == "":
			problems = append(problems, about+fmt.Sprintf(": ends in no line %q", trailer+": NAME"))
			continue
		case o.list(list) == nil:
			problems = append(problems, fmt.Sprintf("%s: %s is no change list in %s", about, list, seriesFile))
			continue
		}
		more, bad, err := r.deltas(commit+"^", commit, list)
		if err != nil {
			return nil, nil, err
		}
		for _, d := range more {
			d.commit = about
			deltas = append(deltas, d)
		}
		problems = append(problems, bad...)
	}
	return deltas, problems, nil
}
