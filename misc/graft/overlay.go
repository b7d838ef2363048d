// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

// This file has the overlay in memory: the contents of the directories in
// overlayDirs, and the change list of each file. assemble reads the overlay and
// makes commits from it. save makes it from commits and uncommitted edits, and
// rebase from commits; both write it. Each new file and each patch belongs to
// exactly one change list, except that variants (variant.go) belong to none. A
// new file stands whole: patches edit only files of upstream's.

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"
)

// overlayDirs are the directories whose files go to the same place in goroot/.
var overlayDirs = []string{"api/next", "doc/next", "src", "test"}

const patchExt = ".patch"

// An overlayFile is one file of the overlay.
type overlayFile struct {
	list   string // its change list
	target string // the path in goroot/ that it makes or edits
	patch  bool
	base   string // for a variant, the only base that it is for
	data   []byte
}

// An overlay is the change lists in order and their files, by path in the
// project.
type overlay struct {
	lists    []changeList
	files    map[string]overlayFile // without variants
	variants map[string]overlayFile // see variant.go
}

// readOverlay returns the overlay, and the problems that it has by itself.
func readOverlay(p *project) (*overlay, []string, error) {
	o, problems, err := readUnsaved(p)
	if err != nil {
		return nil, nil, err
	}
	return o, append(problems, o.missing()...), nil
}

// missing returns a problem for each file that a change list lists and that
// does not exist.
func (o *overlay) missing() (problems []string) {
	for _, c := range o.lists {
		for _, name := range c.files {
			if _, ok := o.files[name]; !ok {
				problems = append(problems, fmt.Sprintf("%s: change list %s lists it, but it does not exist", name, c.name))
			}
		}
	}
	return problems
}

// readUnsaved is readOverlay for save: a change list may list files that so far
// exist only in goroot/.
func readUnsaved(p *project) (*overlay, []string, error) {
	lists, problems, err := readLists(p)
	if err != nil {
		return nil, nil, err
	}
	o := &overlay{lists: lists, files: map[string]overlayFile{}, variants: map[string]overlayFile{}}
	owner, more := o.owners()
	problems = append(problems, more...)
	for _, dir := range overlayDirs {
		err := filepath.WalkDir(p.path(dir), func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || isDroppings(d.Name()) {
				if os.IsNotExist(err) {
					return nil
				}
				return err
			}
			rel, err := filepath.Rel(p.root, file)
			if err != nil {
				return err
			}
			name := filepath.ToSlash(rel)
			if !d.Type().IsRegular() {
				problems = append(problems, name+": not an ordinary file")
				return nil
			}
			f, problem := o.classify(name, owner, p.pins.bases())
			if problem != "" {
				problems = append(problems, problem)
				return nil
			}
			f.data, err = os.ReadFile(file)
			if f.base != "" {
				o.variants[name] = f
			} else {
				o.files[name] = f
			}
			return err
		})
		if err != nil {
			return nil, nil, err
		}
	}
	return o, problems, nil
}

// isDroppings reports whether file browsers and editors leave files of this
// name behind.
func isDroppings(base string) bool {
	return base == ".DS_Store" || strings.HasSuffix(base, "~")
}

// owners returns the change list of each new file that is listed.
func (o *overlay) owners() (owner map[string]string, problems []string) {
	owner = map[string]string{}
	for _, c := range o.lists {
		for _, name := range c.files {
			switch {
			case !inOverlay(name) || strings.HasSuffix(name, patchExt):
				problems = append(problems, fmt.Sprintf("%s: %s cannot be a new file of the overlay: want one under %s",
					c.doc(), name, strings.Join(overlayDirs, ", ")))
			case owner[name] != "":
				problems = append(problems, fmt.Sprintf("%s: listed twice, by change lists %s and %s", name, owner[name], c.name))
			default:
				owner[name] = c.name
			}
		}
	}
	return owner, problems
}

// classify returns the change list and the target of a file of the overlay, or
// the base and the target if the file is a variant. If the overlay cannot have
// the file, problem says why. bases are the names of the bases.
func (o *overlay) classify(name string, owner map[string]string, bases []string) (f overlayFile, problem string) {
	stem, isPatch := strings.CutSuffix(name, patchExt)
	if !isPatch {
		if owner[name] == "" {
			return f, fmt.Sprintf("%s: no change list lists this new file", name)
		}
		return overlayFile{list: owner[name], target: name}, ""
	}
	if m := variantRE.FindStringSubmatch(stem); m != nil {
		if slices.Index(bases, m[2]) < 1 {
			return f, fmt.Sprintf("%s: %s is none of the other bases in %s", name, m[2], pinFile)
		}
		return overlayFile{target: m[1], patch: true, base: m[2]}, ""
	}
	list := strings.TrimPrefix(path.Ext(stem), ".")
	if o.list(list) == nil {
		return f, fmt.Sprintf("%s: %q is no change list in %s", name, list, seriesFile)
	}
	target := strings.TrimSuffix(stem, "."+list)
	if made := owner[target]; made != "" {
		return f, fmt.Sprintf("%s: a patch of %s, which is a file of ours and stands whole (change list %s)", name, target, made)
	}
	return overlayFile{list: list, target: target, patch: true}, ""
}

// list returns the change list with a name, or nil.
func (o *overlay) list(name string) *changeList {
	for i := range o.lists {
		if o.lists[i].name == name {
			return &o.lists[i]
		}
	}
	return nil
}

// checkAgainst returns the problems that the overlay has with an upstream
// release.
func (o *overlay) checkAgainst(upstream func(name string) bool) (problems []string) {
	for _, name := range o.names() {
		f := o.files[name]
		switch {
		case !f.patch && upstream(f.target):
			problems = append(problems, fmt.Sprintf("%s: exists upstream: edit it with a patch instead (change list %s)", name, f.list))
		case f.patch && !upstream(f.target):
			problems = append(problems, fmt.Sprintf("%s: upstream has no %s to edit (change list %s)", name, f.target, f.list))
		}
	}
	return problems
}

// names returns the overlay's paths, sorted.
func (o *overlay) names() []string { return slices.Sorted(maps.Keys(o.files)) }

// targets returns the paths in goroot/ that the overlay makes or edits on any
// base.
func (o *overlay) targets() []string {
	var list []string
	for _, f := range o.all() {
		list = append(list, f.target)
	}
	sort.Strings(list)
	return slices.Compact(list)
}

// write makes the project's overlay, which was old, equal to o. It returns the
// paths that it has written or removed.
func (o *overlay) write(p *project, old *overlay) ([]string, error) {
	var changed []string
	put := func(name string, data []byte) error {
		changed = append(changed, name)
		return writeFile(p.path(name), data)
	}
	have, had := o.all(), old.all()
	for _, name := range slices.Sorted(maps.Keys(have)) {
		data := have[name].data
		if was, ok := had[name]; !ok || !bytes.Equal(was.data, data) {
			if err := put(name, data); err != nil {
				return changed, err
			}
		}
	}
	for i := range o.lists {
		c := &o.lists[i]
		if was := old.list(c.name); was == nil || !slices.Equal(was.files, c.files) {
			if err := put(c.doc(), []byte(c.text())); err != nil {
				return changed, err
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(had)) {
		if _, ok := have[name]; ok {
			continue
		}
		changed = append(changed, name)
		if err := os.Remove(p.path(name)); err != nil {
			return changed, err
		}
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if os.Remove(p.path(dir)) != nil { // not empty
				break
			}
		}
	}
	sort.Strings(changed)
	return changed, nil
}

// writeFile replaces a file in one step.
func writeFile(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	tmp := name + ".tmp~" // a name that readOverlay ignores
	err := os.WriteFile(tmp, data, 0o666)
	if err == nil {
		err = os.Rename(tmp, name)
	}
	if err != nil {
		os.Remove(tmp)
	}
	return err
}
