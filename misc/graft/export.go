// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

// graft export writes the change lists as mails, for review upstream.

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

const exportAbout = `Export writes one mail per change list into DIR, which must be empty or new, in
the form of git format-patch, with lines of context. The mails apply to a tree
of the pinned release with git am. Their author is the user of the project's
git repository. DIR is relative to the current directory. With go run -C, which
changes this directory, give DIR's full path.
`

func (g *graft) export(args []string) error {
	dir, err := filepath.Abs(args[0])
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	if len(entries) > 0 {
		return fmt.Errorf("%s is not empty", dir)
	}
	who, err := g.author()
	if err != nil {
		return err
	}
	u, err := g.release(g.pin)
	if err != nil {
		return err
	}
	o, err := g.orderlyOverlay(u.exists)
	if err != nil {
		return err
	}
	var mails []string
	err = inScratch(u, o, who, func(r *repo, base, commit string) error {
		mails, err = r.mails(dir, base, commit)
		return err
	})
	if err != nil {
		return err
	}
	for _, mail := range mails {
		g.say("%s", filepath.Base(mail))
	}
	g.say("graft: %d change lists in %s", len(mails), dir)
	return nil
}

// mails writes the commits after base as mails into dir. If it fails, it
// removes dir. It returns the names of the mails in order.
func (r *repo) mails(dir, base, commit string) ([]string, error) {
	out, err := r.git("format-patch", "--full-index", "--no-signature", "-o", dir, base+".."+commit)
	if err != nil {
		os.RemoveAll(dir)
	}
	return strings.FieldsFunc(out, func(c rune) bool { return c == '\n' }), err
}

// author returns the identity that the user has configured for the project's
// git repository.
func (g *graft) author() (identity, error) {
	who := identity{when: time.Now()}
	for key, value := range map[string]*string{"user.name": &who.name, "user.email": &who.email} {
		cmd := exec.Command("git", "config", key)
		cmd.Dir = g.root
		out, err := cmd.Output()
		*value = strings.TrimSpace(string(out))
		if err != nil || *value == "" {
			return who, fmt.Errorf("git has no %s for %s, and the mails need an author: set it with git config", key, g.root)
		}
	}
	return who, nil
}
