// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

// This file carries variants along when the overlay or a release changes. A
// variant is an edit of a file that has been merged into another base. If the
// merged file changes, the edit is merged into the changed file. Therefore a
// change of the overlay takes effect on all bases.

import (
	"fmt"
	"maps"
	"slices"
)

// carryAll carries the variants of all other bases from the old overlay to the
// new one, and returns the result. The last two parameters are the main
// releases of the two overlays. carryAll keeps a variant that it cannot carry,
// and says so.
func (g *graft) carryAll(old, new *overlay, from, to *upstream) (*overlay, error) {
	for _, p := range g.pins.Also {
		name := p.base()
		if len(new.variantsFor(name)) == 0 {
			continue
		}
		base, err := g.release(p)
		if err != nil {
			g.say("graft: the variants for %s are left as they are: %v", name, err)
			continue
		}
		was, err := newPort(old, from, base)
		if err != nil {
			return nil, err
		}
		defer was.drop()
		is, err := newPort(new, to, base)
		if err != nil {
			return nil, err
		}
		defer is.drop()
		if new, err = g.carry(was, is, new); err != nil {
			return nil, err
		}
	}
	return new, nil
}

// carry returns the overlay o with its variants carried from the first of the
// two ports to the second.
func (g *graft) carry(was, is *port, o *overlay) (*overlay, error) {
	variants := map[string]overlayFile{}
	for _, name := range o.variantsFor(is.base) {
		v, problem, err := was.carryTo(is, o.variants[name])
		if err != nil {
			return nil, fmt.Errorf("%s: %v", name, err)
		}
		switch {
		case problem != "":
			g.say("graft: %s no longer applies: %s (graft assemble -base %s)", name, problem, is.base)
			variants[name] = o.variants[name]
		case v.data == nil:
			g.say("graft: %s is gone: nothing of it is left", name)
		default:
			variants[name] = v
		}
	}
	return o.withVariants(is.base, variants), nil
}

// carryTo carries v, a variant for the receiver, to another port. The result
// has no data if it would edit nothing. problem says why v cannot be carried.
func (was *port) carryTo(is *port, v overlayFile) (carried overlayFile, problem string, err error) {
	f, now := was.file(v.target), is.file(v.target)
	switch {
	case f == nil || f.stale != "":
		return v, "it did not apply before either", nil
	case now == nil || now.blob == "":
		return v, "there is no such file", nil
	case digest(f.conflicts) != digest(now.conflicts):
		return v, "the edits in conflict have changed", nil
	case f.blob == now.blob:
		return v, "", nil
	}
	final, err := was.blobs(was.final, []string{v.target})
	if err != nil {
		return v, "", err
	}
	var texts [3]string
	for i, at := range []struct {
		*port
		blob string
	}{{was, final[v.target]}, {was, f.blob}, {is, now.blob}} {
		text, err := at.contents(at.blob)
		if err != nil {
			return v, "", err
		}
		texts[i] = string(text)
	}
	blob, conflicts, err := is.mergeTexts(texts[0], texts[1], texts[2])
	switch {
	case err != nil:
		return v, "", err
	case len(conflicts) > 0:
		return v, fmt.Sprintf("line %d of %s has changed", conflicts[0].line, v.target), nil
	case blob == now.blob:
		return overlayFile{}, "", nil
	}
	carried, err = makeVariant(is.repo, is.base, v.target, now.blob, blob, now.conflicts)
	return carried, "", err
}

// changedVariants reports whether a file that has a variant differs between two
// overlays.
func changedVariants(old, new *overlay) bool {
	differs := map[string]bool{}
	for _, pair := range [][2]*overlay{{old, new}, {new, old}} {
		for name, f := range pair[0].files {
			if other, ok := pair[1].files[name]; !ok || string(other.data) != string(f.data) {
				differs[f.target] = true
			}
		}
	}
	return slices.ContainsFunc(slices.Collect(maps.Values(new.variants)), func(v overlayFile) bool { return differs[v.target] })
}
