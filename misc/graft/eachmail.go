// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

// This file has the mails of graft each, and applies them to its tree. They are
// the mails of graft export, with another author.

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A mail is one change list as graft export writes it.
type mail struct {
	file   string
	commit string // the commit that it is made from
}

// mailStack commits the change lists onto the release, without moving the
// branch, and writes the commits as mails.
func (t *eachTree) mailStack(o *overlay) ([]mail, error) {
	who, err := t.committer()
	if err != nil {
		return nil, err
	}
	last, err := (&builder{repo: t.repo, who: who}).stack(upstreamRef+"^0", o)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(t.dir, "mails")
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	files, err := t.mails(dir, upstreamRef, last)
	if err != nil {
		return nil, err
	}
	commits, err := t.git("rev-list", "--reverse", upstreamRef+".."+last)
	var mails []mail
	for i, commit := range strings.Fields(commits) {
		mails = append(mails, mail{files[i], commit})
	}
	return mails, err
}

// committer returns the identity for the tree's commits.
func (t *eachTree) committer() (identity, error) {
	when, err := t.releaseTime()
	return machine(when), err
}

// apply applies a mail. The result must have the files of the commit from which
// the mail is made.
func (t *eachTree) apply(m mail) error {
	who, err := t.committer()
	if err != nil {
		return err
	}
	if _, err := t.gitAs(who, nil, "am", "-q", m.file); err != nil {
		return err
	}
	if err := t.settle("HEAD"); err != nil {
		return err
	}
	wrong, err := t.differing("HEAD", m.commit)
	if err == nil && len(wrong) > 0 {
		err = fmt.Errorf("its mail gives other files than the overlay:\n\t%s", strings.Join(wrong, "\n\t"))
	}
	return err
}
