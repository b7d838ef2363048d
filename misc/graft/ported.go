// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

// This file has the goroot of a base other than the main one. It is a
// repository like goroot/ (goroot.go) with one or two commits on the release.
// The first has the overlay as it merges, without the edits that conflict. The
// second adds the variants, if there are any.

import (
	"strings"
)

const (
	mergedMessage  = "all: gorefs, merged into this release\n"
	variantMessage = "all: adapt gorefs to this release\n"
)

// stackOf makes the base's commits of the overlay and returns the last one.
func (g *graft) stackOf(r *repo, o *overlay) (string, error) {
	if g.base == "" {
		return r.stackOf(o)
	}
	g.dropPort()
	var err error
	if g.port, err = g.openPort(o); err != nil {
		return "", err
	}
	_, final, err := g.port.commits(r)
	return final, err
}

// openPort merges the overlay into the base.
func (g *graft) openPort(o *overlay) (*port, error) {
	main, err := g.release(g.pins.pin)
	if err != nil {
		return nil, err
	}
	base, err := g.release(g.pin)
	if err != nil {
		return nil, err
	}
	if problems := o.checkAgainst(main.exists); len(problems) > 0 {
		return nil, problemsError(problems)
	}
	return newPort(o, main, base)
}

// dropPort removes the port's scratch repository.
func (g *graft) dropPort() {
	if g.port != nil {
		g.port.drop()
		g.port = nil
	}
}

// commits makes the port's commits on refs/gorefs/upstream of r: the overlay as
// it merges, and the same with variants.
func (p *port) commits(r *repo) (merged, final string, err error) {
	base, err := r.line("rev-parse", upstreamRef)
	if err != nil {
		return "", "", err
	}
	if merged, err = p.commitTo(r, base, p.merged, mergedMessage); err != nil || p.final == p.merged {
		return merged, merged, err
	}
	final, err = p.commitTo(r, merged, p.final, variantMessage)
	return merged, final, err
}

// commitTo commits the files of a tree of p onto a commit of r.
func (p *port) commitTo(r *repo, parent, tree, message string) (string, error) {
	who := machine(p.to.when)
	carrier, err := p.gitAs(who, []byte(message), "commit-tree", tree)
	if err != nil {
		return "", err
	}
	carrier = strings.TrimSpace(carrier)
	if _, err := p.git("update-ref", "refs/heads/"+branch, carrier); err != nil {
		return "", err
	}
	if _, err := r.git("fetch", "-q", p.dir, branch); err != nil {
		return "", err
	}
	index, drop, err := r.withIndex()
	if err != nil {
		return "", err
	}
	defer drop()
	if _, err := index.git("read-tree", parent); err != nil {
		return "", err
	}
	files, err := r.git("ls-tree", "-r", "-z", carrier)
	if err != nil {
		return "", err
	}
	if _, err := index.gitInput([]byte(files), "update-index", "-z", "--index-info"); err != nil {
		return "", err
	}
	whole, err := index.line("write-tree")
	if err != nil {
		return "", err
	}
	commit, err := r.gitAs(who, []byte(message), "commit-tree", whole, "-p", parent)
	return strings.TrimSpace(commit), err
}
