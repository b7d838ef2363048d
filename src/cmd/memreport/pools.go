// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// A sync.Pool has kept memory that nothing takes. The collections of the watch
// free it, so only the first recording shows it.

package main

import (
	"fmt"
	"regexp"
	"strings"
)

const (
	// poolShare is the share of the resident size when the watch began.
	poolShare = 0.25
	// poolGone is the part of it that nothing took before it was freed. A busy
	// server takes what its pools have.
	poolGone = 0.5
)

func findPools(f *facts) (all []finding) {
	if f.Refs == nil || f.Compare || f.once() {
		return nil
	}
	least := max(int64(poolShare*float64(f.Moments[0].Classes[resident])), standingLeast)
	for _, t := range f.Refs.pools(nil) {
		e := t.at()
		had, gone := e.Bytes-e.NewBytes, -e.NewBytes
		if had < least || float64(gone) < poolGone*float64(had) {
			continue
		}
		place := t
		if len(t) > 1 {
			place = t[:len(t)-1] // the variable or field that is the pool
		}
		all = append(all, finding{
			Kind:      "pool",
			Signature: place.String(),
			Text:      fmt.Sprintf("A pool had %s when the watch began, and nothing took %s of it.", formatSize(had), formatSize(gone)),
			Place:     place.String(),
			Bytes:     gone,
			Details:   []string{"two collections without use free what a pool has, and the next burst fills it again"},
			Profile:   "refs",
			More:      fmt.Sprintf("go tool pprof -top -cum %s %s", quote("-focus=^"+regexp.QuoteMeta(t[0].Name)+"$"), f.take.path("refs.1.pb.gz")),
			group:     standing,
		})
	}
	return all
}

// pools returns the trails to the storage of pools below e, which ends t.
func (e *element) pools(t trail) (all []trail) {
	for _, c := range e.Children {
		below := append(t[:len(t):len(t)], c)
		if c.isPool() {
			all = append(all, below)
		} else {
			all = append(all, c.pools(below)...)
		}
	}
	return all
}

// isPool reports whether e is the storage of a sync.Pool.
func (e *element) isPool() bool {
	return strings.HasSuffix(e.Name, " *poolLocal") || strings.HasSuffix(e.Name, " *sync.poolLocal") || strings.HasPrefix(e.Name, "sync.poolLocal.")
}
