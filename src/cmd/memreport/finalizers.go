// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Only finalizers hold much of the live heap. Most often, the object that has
// the finalizer can be reached from it, and so is never free. Objects that are
// free wait in a queue for one goroutine, and for ever if a finalizer does.

package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// finalizerShare is the share of the resident size. Objects that wait for their
// finalizers are a part of what one collection frees.
const finalizerShare = 0.25

func findFinalizers(f *facts) (all []finding) {
	if f.Refs == nil || f.RefsOnce || f.Compare || f.once() {
		return nil
	}
	grow := make(map[string]bool)
	for _, x := range findLive(f) {
		grow[x.Place] = true
	}
	for _, e := range f.Refs.Children {
		n := min(e.Bytes, e.Bytes-e.NewBytes)
		if e.Root != "finalizer" || n < f.least(finalizerShare, standingLeast) || grow[e.Name] {
			continue
		}
		x := finding{
			Kind:      "finalizers",
			Signature: e.Name,
			Text:      fmt.Sprintf("Nothing but finalizers holds %s, at both ends of the watch.", formatSize(n)),
			Place:     e.Name,
			Bytes:     n,
			Details:   f.whyUnfinalized(e.Name),
			Profile:   "refs",
			More:      fmt.Sprintf("go tool pprof -top -cum %s %s", quote("-focus=^"+regexp.QuoteMeta(e.Name)+"$"), f.take.path(f.take.last("refs"))),
			group:     standing,
		}
		if code := f.mostBelow(e.Name); code != "" {
			x.Details = append(x.Details, allocatedBy+code)
		}
		all = append(all, x)
	}
	return all
}

const (
	finalizerQueue   = "(finalizer queue)"
	finalizerRunner  = "runtime.runFinalizers" // the one goroutine that runs finalizers
	neverUnreachable = "an object is never finalized if what it refers to, or its finalizer, refers to it"
)

// whyUnfinalized says why objects below a root of finalizers stay, as far as that
// is certain.
func (f *facts) whyUnfinalized(root string) []string {
	if root == finalizerQueue {
		return f.stuckFinalizer()
	}
	return []string{neverUnreachable}
}

// stuckFinalizer says which finalizer has not returned in the watch, if there is
// one: the goroutine is at one line of it at all moments, and there are some.
func (f *facts) stuckFinalizer() []string {
	if f.Compare || f.once() {
		return nil
	}
	for _, p := range f.Places {
		if p.Start == finalizerRunner && p.Code != "" && !isStd(function(p.Code)) && slices.Min(p.Counts) > 0 {
			return []string{because + "the finalizer at " + p.Code + " does not return"}
		}
	}
	return nil
}

// joinFinalizers makes objects that have a finalizer, and that the last collection
// alone found free, a detail of the finding that others of their type are in the
// queue.
func joinFinalizers(all []finding) []finding {
	return joinTo(all, queuedLike, func(y *finding, x finding) {
		y.Bytes += x.Bytes
		y.Details = append(y.Details, fmt.Sprintf("with %s in %s that are not yet in the queue", formatSize(x.Bytes), plural(x.came, "object")))
	})
}

// queuedLike returns the finding about a queue of objects of the type that those of
// x have, or nil.
func queuedLike(all []finding, x finding) *finding {
	rest, ok := strings.CutPrefix(x.Place, "(finalizer) ")
	if !ok || x.Kind != "live-growth" || x.came <= 0 {
		return nil
	}
	kind, _, _ := strings.Cut(rest, pathSeparator)
	for i, y := range all {
		if y.Kind == x.Kind && y.Bytes >= x.Bytes && strings.HasPrefix(y.Place+pathSeparator, finalizerQueue+pathSeparator+"(argument) "+kind+pathSeparator) {
			return &all[i]
		}
	}
	return nil
}
