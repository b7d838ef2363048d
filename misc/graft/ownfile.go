// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"fmt"
	"slices"
)

// This file handles the project's own files that several change lists write:
// one makes the file, and later ones edit it. The overlay has such a file
// whole, as the last of them leaves it, so that it can be read. Each edit is
// also a patch, like an edit of a file of upstream's. To get the file as it is
// before these edits, graft takes the patches out of the whole file, the last
// patch first.

// edited returns the file of ours that f, a patch, edits, and whether there is
// one.
func (o *overlay) edited(f overlayFile) (overlayFile, bool) {
	made, ok := o.files[f.target]
	return made, ok && f.patch && !made.patch
}

// follows reports whether change list a is after change list b.
func (o *overlay) follows(a, b string) bool {
	return slices.Index(series(o.lists), a) > slices.Index(series(o.lists), b)
}

// editsOf returns the names of the patches of a file of ours, in the order in
// which they apply.
func (o *overlay) editsOf(target string) []string {
	var names []string
	for _, c := range o.lists {
		name := target + "." + c.name + patchExt
		if f, ok := o.files[name]; ok && f.patch {
			names = append(names, name)
		}
	}
	return names
}

// takeOut takes the edits of later change lists out of a file of ours in the
// index, which must have the whole file.
func (r *repo) takeOut(o *overlay, target string) error {
	for _, name := range slices.Backward(o.editsOf(target)) {
		f := o.files[name]
		p, err := parsePatch(string(f.data))
		if err != nil {
			return fmt.Errorf("%s: %v (change list %s)", name, err, f.list)
		}
		blobs, err := r.blobs("", []string{target})
		if err != nil {
			return err
		}
		if blobs[target] != p.post {
			return fmt.Errorf("%s: cannot be taken out: it makes %s with blob %.12s, which has blob %.12s here (change list %s)",
				name, target, p.post, blobs[target], f.list)
		}
		if err := r.applyPatch(f.data, "-R"); err != nil {
			return patchError(name, f, p, err)
		}
	}
	return nil
}
