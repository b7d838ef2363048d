// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

// This file works without goroot/: it uses a scratch repository, which has only
// those files of an upstream release that the overlay edits. Patches that are
// made there equal those from the whole release. Mails do, too, except for the
// hashes of the commits. export, verify, rebase and the merges into other bases
// use it.

// inScratch makes a repository, commits the files of u that o edits, and then
// the change lists of o. It calls do, and removes the repository. base is the
// commit of the files, and commit is the last change list's.
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

// orderlyOverlay reads the overlay, and returns an error if it has problems by
// itself or with an upstream release.
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
