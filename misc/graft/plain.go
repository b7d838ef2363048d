// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

// This file works without goroot/: it uses a scratch repository that has only
// the files of an upstream release that the overlay edits. Patches that are
// made there equal those from the whole release. Mails do, too, except for the
// hashes of the commits. export, verify, rebase and the merges into other bases
// use it.

// inScratch commits the files of u that o edits, and the change lists of o on
// top of them, in a repository that it makes for do and removes. base is the
// commit of the files, and commit that of the last change list.
func inScratch(u *upstream, o *overlay, who identity, do func(r *repo, base, commit string) error) error {
	r, drop, err := scratchRepo()
	if err != nil {
		return err
	}
	defer drop()
	base, err := importTouched(r, u, o)
	if err != nil {
		return err
	}
	commit, err := (&builder{repo: r, who: who}).stack(base, o)
	if err != nil {
		return err
	}
	return do(r, base, commit)
}

// importTouched commits the files of u that o edits and returns the commit.
func importTouched(r *repo, u *upstream, o *overlay) (string, error) {
	var names []string
	for _, name := range o.targets() {
		if u.exists(name) {
			names = append(names, name)
		}
	}
	return importUpstream(r, u, names)
}

// orderlyOverlay reads an overlay that must have no problems with an upstream
// release.
func (g *graft) orderlyOverlay(upstream func(name string) bool) (*overlay, error) {
	o, problems, err := readOverlay(&g.project)
	if err != nil {
		return nil, err
	}
	if problems = append(problems, o.checkAgainst(upstream)...); len(problems) > 0 {
		return nil, problemsError(problems)
	}
	return o, nil
}
