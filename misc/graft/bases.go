// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

// The overlay has a main base, the release that its patches are made for, and
// may have others: the pins in lib/upstream.json after "also". A base has the
// name of its language version, for example go1.26. -base NAME makes a command
// work on another base than the main one. That base has a goroot of its own,
// with the overlay as it merges into that release (port.go). Variants are the
// edits that the base needs after the merge (variant.go).

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

var baseRE = regexp.MustCompile(`^go[1-9][0-9]*\.[0-9]+`)

// base returns the name of the base that p pins.
func (p pin) base() string { return baseName(p.Version) }

// baseName returns the language version of a release: go1.26 for go1.26.11.
func baseName(version string) string { return baseRE.FindString(version) }

// bases returns the names of the bases, the main one first.
func (p *pins) bases() []string {
	names := []string{p.base()}
	for _, also := range p.Also {
		names = append(names, also.base())
	}
	return names
}

// distinct returns an error if two pins are of the same base.
func (p *pins) distinct() error {
	names := p.bases()
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return fmt.Errorf("%s: two releases are %s", pinFile, name)
		}
	}
	return nil
}

// choose makes the project be on the base with the given name.
func (p *project) choose(name string) error {
	i := slices.Index(p.pins.bases(), name)
	switch {
	case i < 0:
		return fmt.Errorf("%s pins no %s: the bases are %s", pinFile, name, strings.Join(p.pins.bases(), ", "))
	case i > 0:
		p.base = name
		p.pin = p.pins.Also[i-1]
		p.version = p.pin.Version + versionSuffix
	}
	return nil
}

// gorootName returns the name of the base's goroot: goroot, or goroot-1.26 for
// the base go1.26 if that is not the main one.
func (p *project) gorootName() string {
	if p.base == "" {
		return "goroot"
	}
	return "goroot-" + strings.TrimPrefix(p.base, "go")
}

// baseFlag returns the flag that the user has to repeat in a command for the
// base, with a space before it.
func (p *project) baseFlag() string {
	if p.base == "" {
		return ""
	}
	return " -base " + p.base
}
