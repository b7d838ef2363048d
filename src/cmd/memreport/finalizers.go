// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Only finalizers hold much of the live heap. Most often, the object that has
// the finalizer can be reached from it, and so is never free.

package main

import (
	"fmt"
	"regexp"
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
			Details:   []string{"an object is never finalized if what it refers to, or its finalizer, refers to it"},
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
