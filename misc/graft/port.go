// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

// This file merges the overlay into another base than the main one. Each file
// is merged once, with all change lists: the change from the main release's
// file to the file with all edits is merged into the base's file. Variants come
// after that. The merge happens in a scratch repository that has only the files
// that the overlay makes or edits. Therefore it needs no goroot.

import (
	"bytes"
	"fmt"
	"slices"
)

// A port is an overlay merged into a base.
type port struct {
	*repo
	drop   func() // removes the scratch repository
	base   string
	from   *upstream // the main release
	to     *upstream // the base's release
	files  []portedFile
	merged string // the tree before variants
	final  string // the tree with variants
}

// A portedFile is one file of the overlay on a base.
type portedFile struct {
	target    string
	blob      string // after the merge, before the variant; "" if the file is left out
	how       outcome
	conflicts []conflict
	variant   string // the name of its variant, if it has one
	stale     string // why the variant does not apply, if it does not
}

// An outcome says how a file came to a base.
type outcome int

const (
	equalFile  outcome = iota // as in goroot/, or as in the base if only a variant edits it
	mergedFile                // the two releases' files differ, and the edits merge
	clashFile                 // edits conflict and are left out
	absentFile                // the base has no such file to edit
	existsFile                // new in the overlay, and the base has it too, with other contents
)

// newPort merges an overlay into another release. The parameter from is the
// release to which the overlay applies, and to is the other one. The caller
// must call drop.
func newPort(o *overlay, from, to *upstream) (*port, error) {
	r, drop, err := scratchRepo()
	if err != nil {
		return nil, err
	}
	p := &port{repo: r, drop: drop, base: baseName(to.version), from: from, to: to}
	if err = p.merge(o); err == nil {
		err = p.vary(o)
	}
	if err != nil {
		drop()
		return nil, err
	}
	return p, nil
}

// merge makes p.files and p.merged.
func (p *port) merge(o *overlay) error {
	main, err := importTouched(p.repo, p.from, o)
	if err != nil {
		return err
	}
	stack, err := (&builder{repo: p.repo, who: machine(p.from.when)}).stack(main, o)
	if err != nil {
		return err
	}
	base, err := importTouched(p.repo, p.to, o)
	if err != nil {
		return err
	}
	targets := o.targets()
	var blobs [3]map[string]string
	for i, commit := range []string{base, main, stack} {
		if blobs[i], err = p.blobs(commit, targets); err != nil {
			return err
		}
	}
	for _, target := range targets {
		f, err := p.mergeFile(target, blobs[0][target], blobs[1][target], blobs[2][target])
		if err != nil {
			return fmt.Errorf("%s: %v", target, err)
		}
		p.files = append(p.files, f)
	}
	p.merged, err = p.treeOf(nil, nil)
	return err
}

// mergeFile merges one file. Its blobs are base in the base's release, main in
// the main release, and edited with all edits of the overlay.
func (p *port) mergeFile(target, base, main, edited string) (portedFile, error) {
	f := portedFile{target: target, blob: edited}
	switch {
	case main == edited: // only a variant edits it
		f.blob = base
	case base == main || base == edited:
	case main == "":
		f.how, f.blob = existsFile, ""
	case base == "":
		f.how, f.blob = absentFile, ""
	default:
		return p.mergeEdit(f, base, main, edited)
	}
	return f, nil
}

// mergeEdit merges an edit of a file that differs between the releases.
func (p *port) mergeEdit(f portedFile, base, main, edited string) (portedFile, error) {
	var err error
	f.blob, f.conflicts, err = p.mergeBlobs(base, main, edited, true)
	f.how = mergedFile
	if len(f.conflicts) > 0 {
		f.how = clashFile
	}
	return f, err
}

// vary applies the variants, except stale ones, and makes p.final.
func (p *port) vary(o *overlay) error {
	var names []string
	for i := range p.files {
		f := &p.files[i]
		name := variantName(f.target, p.base)
		v, ok := o.variants[name]
		if !ok {
			continue
		}
		f.variant = name
		if f.stale = p.stale(f, v); f.stale == "" {
			names = append(names, name)
		}
	}
	var err error
	p.final, err = p.treeOf(o, names)
	return err
}

// stale returns why a variant does not apply to its file, or "" if it applies.
func (p *port) stale(f *portedFile, v overlayFile) string {
	switch v, err := parsePatch(string(v.data)); {
	case err != nil:
		return err.Error()
	case v.target != f.target:
		return fmt.Sprintf("it edits %s", v.target)
	case v.pre != f.blob:
		return fmt.Sprintf("it was made for %s with blob %.12s, which has blob %.12s now", f.target, v.pre, f.blob)
	case v.settles != digest(f.conflicts):
		return "the edits in conflict have changed since it was made"
	}
	return ""
}

// treeOf returns the tree of the files, with the named variants applied.
func (p *port) treeOf(o *overlay, variants []string) (string, error) {
	index, drop, err := p.withIndex()
	if err != nil {
		return "", err
	}
	defer drop()
	var info bytes.Buffer
	for _, f := range p.files {
		if f.blob != "" {
			fmt.Fprintf(&info, "%s %s\t%s\x00", fileMode(f.target), f.blob, f.target)
		}
	}
	if _, err := index.gitInput(info.Bytes(), "update-index", "-z", "--index-info"); err != nil {
		return "", err
	}
	for _, name := range variants {
		if err := index.applyPatch(o.variants[name].data); err != nil {
			return "", fmt.Errorf("%s: %v", name, err)
		}
	}
	return index.line("write-tree")
}

// unsettled returns the files that a person has to settle.
func (p *port) unsettled() []portedFile {
	var files []portedFile
	for _, f := range p.files {
		if f.stale != "" || f.how == existsFile || f.how == clashFile && f.variant == "" {
			files = append(files, f)
		}
	}
	return files
}

// absent returns the files that the base does not have.
func (p *port) absent() []portedFile {
	var files []portedFile
	for _, f := range p.files {
		if f.how == absentFile {
			files = append(files, f)
		}
	}
	return files
}

// file returns the file with a target.
func (p *port) file(target string) *portedFile {
	i := slices.IndexFunc(p.files, func(f portedFile) bool { return f.target == target })
	if i < 0 {
		return nil
	}
	return &p.files[i]
}
