// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

// This file has the project: its root, its version, and the pins of the
// upstream releases. Each command starts here. VERSION and lib/upstream.json
// together mark the root. goroot/ has a VERSION of its own, but no
// lib/upstream.json. Each of these releases is called a base: bases.go has the
// choice between them.

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// A pin names an upstream release, the hash of its tree (see treeHash), and the
// hash of the two files at its root that builds depend on (see rootHash).
type pin struct {
	Version string `json:"version"`
	Hash    string `json:"hash"`
	Root    string `json:"root"`
}

// pins has the contents of lib/upstream.json.
type pins struct {
	pin
	Also []pin `json:"also,omitempty"` // the other bases
}

type project struct {
	root    string
	version string // the fork's version on the base that the command works on, for example go1.27.4-refs; on the main base, the line in VERSION
	pin     pin    // the pin of that base
	pins    pins
	base    string // the name of that base if it is not the main one, for example go1.26
}

const pinFile = "lib/upstream.json"

// versionSuffix is the text that the fork's version adds to upstream's.
const versionSuffix = "-refs"

var (
	releaseRE = regexp.MustCompile(`^go[1-9][0-9]*(\.[0-9]+)*(rc[0-9]+|beta[0-9]+)?$`)
	hashRE    = regexp.MustCompile(`^h1:[A-Za-z0-9+/]{43}=$`)
)

// openProject finds the project that contains dir and reads its version and
// pins.
func openProject(dir string, p *project) error {
	start, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	for p.root = start; ; p.root = filepath.Dir(p.root) {
		if isFile(p.path("VERSION")) && isFile(p.path(pinFile)) {
			break
		}
		if p.root == filepath.Dir(p.root) {
			return fmt.Errorf("no VERSION and %s in %s or above", pinFile, start)
		}
	}
	version, err := os.ReadFile(p.path("VERSION"))
	if err != nil {
		return err
	}
	p.version = strings.TrimSpace(string(version))
	data, err := os.ReadFile(p.path(pinFile))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, &p.pins); err != nil {
		return fmt.Errorf("%s: %v", pinFile, err)
	}
	if !p.pins.complete() {
		return fmt.Errorf(`%s: want {"version": "go1.X.Y", "hash": "h1:...", "root": "h1:..."}, have %s`, pinFile, strings.TrimSpace(string(data)))
	}
	if err := p.pins.distinct(); err != nil {
		return err
	}
	p.pin = p.pins.pin
	if want := p.pin.Version + versionSuffix; p.version != want {
		return fmt.Errorf("VERSION says %q, but %s pins %s: VERSION must be %q", p.version, pinFile, p.pin.Version, want)
	}
	return nil
}

// complete reports whether each pin has a version and both hashes.
func (p *pins) complete() bool {
	for _, p := range append([]pin{p.pin}, p.Also...) {
		if !releaseRE.MatchString(p.Version) || !hashRE.MatchString(p.Hash) || !hashRE.MatchString(p.Root) {
			return false
		}
	}
	return true
}

// encode returns the contents of lib/upstream.json.
func (p *pins) encode() ([]byte, error) {
	text, err := json.MarshalIndent(p, "", "\t")
	return append(text, '\n'), err
}

// identity returns the part of the pin that distinguishes releases. Versions of
// toolchains are made from it, and goroot/ records it. Root is not in it,
// because no two releases have the same tree.
func (p pin) identity() []byte {
	return fmt.Appendf(nil, "{\n\t\"version\": %q,\n\t\"hash\": %q\n}\n", p.Version, p.Hash)
}

// path returns the file name of a slash-separated path in the project.
func (p *project) path(rel string) string {
	return filepath.Join(p.root, filepath.FromSlash(rel))
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}
