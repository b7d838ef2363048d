// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

// This file has variants. X.go.go1.26.patch is the variant of X.go for the base
// go1.26: the edit that X.go needs there after all change lists are merged. It
// has the form of a patch, and names the contents that it applies to. If the
// merge leaves edits out because they conflict, the variant begins with a digest
// of the conflicts that it settles, so that a change of such an edit is found.

import (
	"fmt"
	"iter"
	"maps"
	"regexp"
	"slices"
)

// variantRE matches the name of a variant without .patch.
var variantRE = regexp.MustCompile(`^(.+)\.(go[1-9][0-9]*\.[0-9]+)$`)

// variantName returns the name of a file's variant for a base.
func variantName(target, base string) string { return target + "." + base + patchExt }

// all returns the files of the overlay and its variants.
func (o *overlay) all() map[string]overlayFile {
	all := maps.Clone(o.files)
	maps.Copy(all, o.variants)
	return all
}

// sorted iterates over the overlay's files and the variants for a base, by name.
func (o *overlay) sorted(base string) iter.Seq2[string, overlayFile] {
	return func(yield func(string, overlayFile) bool) {
		all := o.all()
		for _, name := range slices.Sorted(maps.Keys(all)) {
			if f := all[name]; (f.base == "" || f.base == base) && !yield(name, f) {
				return
			}
		}
	}
}

// variantsFor returns the names of the variants for a base, sorted.
func (o *overlay) variantsFor(base string) []string {
	var names []string
	for name, f := range o.variants {
		if f.base == base {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// withVariants returns the overlay with the variants for a base replaced.
func (o *overlay) withVariants(base string, variants map[string]overlayFile) *overlay {
	with := *o
	with.variants = maps.Clone(o.variants)
	for _, name := range o.variantsFor(base) {
		delete(with.variants, name)
	}
	maps.Copy(with.variants, variants)
	return &with
}

// makeVariant returns the variant of a file that turns blob pre into blob post
// and settles the conflicts.
func makeVariant(r *repo, base, target, pre, post string, conflicts []conflict) (overlayFile, error) {
	text, err := makePatch(r, target, pre, post)
	if d := digest(conflicts); d != "" {
		text = fmt.Appendf(nil, "settles %s\n%s", d, text)
	}
	return overlayFile{target: target, patch: true, base: base, data: text}, err
}
