// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

// graft save -base makes variants of the edits in the base's goroot. Each
// difference of this goroot from the overlay as it merges is such an edit, even
// if a commit or an earlier variant has made it.

import (
	"fmt"
	"strings"
)

// saveVariants writes the variants with which the overlay makes the base's
// goroot as it is now.
func (g *graft) saveVariants(r *repo, old *overlay, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("with -base there is no NAME: an edit is for %s alone, whichever change list it adapts", g.base)
	}
	tree, err := r.quietWorkTree()
	if err != nil {
		return err
	}
	merged, _, err := g.port.commits(r)
	if err != nil {
		return err
	}
	variants, problems, err := g.port.variants(r, merged, tree)
	if err != nil {
		return err
	}
	if len(problems) > 0 {
		return unsavable(problems)
	}
	return g.writeSaved(r, old.withVariants(g.base, variants), old, tree)
}

// variants returns the variants that turn the files of the commit merged to
// those of tree.
func (p *port) variants(r *repo, merged, tree string) (variants map[string]overlayFile, problems []string, err error) {
	edits, problems, err := r.deltas(merged, tree, "")
	if err != nil {
		return nil, nil, err
	}
	variants = map[string]overlayFile{}
	for _, d := range edits {
		switch {
		case d.from == "":
			problems = append(problems, fmt.Sprintf("%s: new: make it in goroot/, with the build constraint !go%s if only %s needs it",
				d.path, strings.TrimPrefix(baseName(p.from.version), "go"), p.base))
			continue
		case d.to == "":
			problems = append(problems, d.path+": removed: a variant only edits")
			continue
		}
		var conflicts []conflict
		if f := p.file(d.path); f != nil {
			conflicts = f.conflicts
		}
		name := variantName(d.path, p.base)
		if variants[name], err = makeVariant(r, p.base, d.path, d.from, d.to, conflicts); err != nil {
			problems = append(problems, err.Error())
		}
	}
	return variants, append(problems, p.unedited(variants)...), nil
}

// unedited returns a problem for each file with conflicts that has no variant.
func (p *port) unedited(variants map[string]overlayFile) (problems []string) {
	for _, f := range p.files {
		if _, ok := variants[variantName(f.target, p.base)]; !ok && f.how == clashFile {
			problems = append(problems, fmt.Sprintf("%s:%d: an edit conflicts, and the file is not edited: graft assemble -base %s prints the edit",
				f.target, f.conflicts[0].line, p.base))
		}
	}
	return problems
}
