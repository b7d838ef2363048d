// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

// This file makes the stack: one commit per change list on top of the upstream
// commit. It works in the object store with an index of its own. No working
// tree changes, so a patch that does not apply leaves everything as it was.

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// A builder makes the stack's commits.
type builder struct {
	*repo
	who     identity
	trailer bool // end each message with the change list's name
}

// stack commits the overlay onto base and returns the last commit. A change
// list without files makes no commit.
func (b *builder) stack(base string, o *overlay) (string, error) {
	index, drop, err := b.withIndex()
	if err != nil {
		return "", err
	}
	defer drop()
	if _, err := index.git("read-tree", base); err != nil {
		return "", err
	}
	parent, err := index.line("rev-parse", base)
	if err != nil {
		return "", err
	}
	for i := range o.lists {
		c := &o.lists[i]
		n, err := index.addList(o, c.name)
		if err != nil {
			return "", err
		}
		if n == 0 {
			continue
		}
		tree, err := index.line("write-tree")
		if err != nil {
			return "", err
		}
		if parent, err = b.commit(tree, parent, c); err != nil {
			return "", err
		}
	}
	return parent, nil
}

// withIndex returns the repository with a new, empty index.
func (r *repo) withIndex() (index *repo, drop func(), err error) {
	dir, err := os.MkdirTemp("", "graft-index-")
	if err != nil {
		return nil, nil, err
	}
	drop = func() { os.RemoveAll(dir) }
	return &repo{dir: r.dir, work: r.work, index: filepath.Join(dir, "index")}, drop, nil
}

// commit commits a tree as a change list.
func (b *builder) commit(tree, parent string, c *changeList) (string, error) {
	message := c.message + "\n"
	if b.trailer {
		message += "\n" + trailer + ": " + c.name + "\n"
	}
	out, err := b.gitAs(b.who, []byte(message), "commit-tree", tree, "-p", parent)
	return strings.TrimSpace(out), err
}

// addList puts the files of one change list into the index and returns their
// number.
func (r *repo) addList(o *overlay, list string) (int, error) {
	var patches []string
	created := map[string][]byte{}
	for _, name := range o.names() {
		switch f := o.files[name]; {
		case f.list != list:
		case f.patch:
			patches = append(patches, name)
		default:
			created[name] = f.data
		}
	}
	if err := r.applyPatches(o, patches); err != nil {
		return 0, err
	}
	blobs, err := r.writeBlobs(created)
	if err != nil {
		return 0, err
	}
	var info bytes.Buffer
	for name, blob := range blobs {
		fmt.Fprintf(&info, "%s %s\t%s\x00", fileMode(name), blob, name)
	}
	_, err = r.gitInput(info.Bytes(), "update-index", "-z", "--index-info")
	return len(patches) + len(created), err
}

// writeBlobs stores file contents and returns their blobs.
func (r *repo) writeBlobs(files map[string][]byte) (map[string]string, error) {
	dir, err := os.MkdirTemp("", "graft-blobs-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	var names []string
	var list strings.Builder
	for name, data := range files {
		file := filepath.Join(dir, strconv.Itoa(len(names)))
		if err := os.WriteFile(file, data, 0o666); err != nil {
			return nil, err
		}
		names = append(names, name)
		list.WriteString(file + "\n")
	}
	out, err := r.gitInput([]byte(list.String()), "hash-object", "-w", "--no-filters", "--stdin-paths")
	if err != nil {
		return nil, err
	}
	blobs := map[string]string{}
	for i, blob := range strings.Fields(out) {
		blobs[names[i]] = blob
	}
	return blobs, nil
}

// applyPatches applies one change list's patches to the index.
func (r *repo) applyPatches(o *overlay, names []string) error {
	if len(names) == 0 {
		return nil
	}
	parsed := make([]*patch, len(names))
	var targets []string
	var all []byte
	for i, name := range names {
		f := o.files[name]
		p, err := parsePatch(string(f.data))
		if err == nil && p.target != f.target {
			err = fmt.Errorf("edits %s, not %s", p.target, f.target)
		}
		if err != nil {
			return fmt.Errorf("%s: %v (change list %s)", name, err, f.list)
		}
		parsed[i] = p
		targets = append(targets, f.target)
		all = append(all, f.data...)
	}
	blobs, err := r.blobs("", targets)
	if err != nil {
		return err
	}
	for i, name := range names {
		if f := o.files[name]; blobs[f.target] != parsed[i].pre {
			return fmt.Errorf("%s: does not apply: made for %s with blob %.12s, which has blob %.12s here (change list %s)",
				name, f.target, parsed[i].pre, blobs[f.target], f.list)
		}
	}
	if r.applyPatch(all) == nil {
		return nil
	}
	for i, name := range names {
		if err := r.applyPatch(o.files[name].data); err != nil {
			return patchError(name, o.files[name], parsed[i], err)
		}
	}
	return nil
}

// applyPatch applies a patch to the index, or changes nothing.
func (r *repo) applyPatch(text []byte) error {
	_, err := r.gitInput(text, "apply", "--cached", "--unidiff-zero", "--whitespace=nowarn", "-")
	return err
}

var failedRE = regexp.MustCompile(`patch failed: .*:([0-9]+)`)

// patchError names the hunk that git could not apply.
func patchError(name string, f overlayFile, p *patch, err error) error {
	what := "patch"
	if m := failedRE.FindStringSubmatch(err.Error()); m != nil {
		for _, h := range p.hunks {
			if strconv.Itoa(h.start) == m[1] {
				what = "hunk " + h.header
			}
		}
	}
	return fmt.Errorf("%s: %s does not apply to %s (change list %s)\n\t%s", name, what, f.target, f.list,
		strings.ReplaceAll(err.Error(), "\n", "\n\t"))
}

// blobs returns the blobs of paths in a tree, or in the index if tree is empty.
// The blob of a path that does not exist is "".
func (r *repo) blobs(tree string, paths []string) (map[string]string, error) {
	var input strings.Builder
	for _, name := range paths {
		input.WriteString(tree + ":" + name + "\n")
	}
	out, err := r.gitInput([]byte(input.String()), "cat-file", "--batch-check=%(objectname) %(objecttype)")
	if err != nil {
		return nil, err
	}
	blobs := map[string]string{}
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if len(paths) > 0 && len(lines) != len(paths) {
		return nil, errors.New("git cat-file: answers do not match questions")
	}
	for i, name := range paths {
		if blob, ok := strings.CutSuffix(lines[i], " blob"); ok {
			blobs[name] = blob
		}
	}
	return blobs, nil
}
