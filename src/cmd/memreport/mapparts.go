// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The keys, the values and the tables of a map are elements of their own. If the
// map grows, all of them may grow, and it is one leak.

package main

import (
	"fmt"
	"slices"
	"strings"
)

// mapParts are the ends of the names of a map's parts. A type may follow.
var mapParts = []string{"[key]", "[value]", "[table]"}

// mapType returns the type of the map of which e is a part, or "".
func (e *element) mapType() string {
	if !strings.HasPrefix(e.Name, "map[") {
		return ""
	}
	return e.containerOf(mapParts)
}

// holdsMap returns the type of the map that e refers to, or "" if there is none or
// more than one.
func (e *element) holdsMap() (name string) {
	for _, c := range e.Children {
		switch t := c.mapType(); {
		case t == "" || t == name:
		case name != "":
			return ""
		default:
			name = t
		}
	}
	return name
}

// growingMap reports whether e refers to a map that has more pairs than before.
// What grows only below the pairs, as that of fixed topics, is no such map.
func (e *element) growingMap() bool {
	return e.NewCount > 0 && e.holdsMap() != "" &&
		slices.ContainsFunc(e.Children, func(c *element) bool { return c.mapType() != "" && c.NewCount > 0 })
}

// growsInParts reports whether what grows below e is one structure with parts.
func (e *element) growsInParts() bool { return e.growingMap() || e.growingElements() }

// mostIn returns the child of e that has most of what came below e, or nil.
func (e *element) mostIn() *element {
	for _, c := range e.Children {
		if float64(c.NewBytes) >= mostPart*float64(e.NewBytes) {
			return c
		}
	}
	return nil
}

// partsText says how much came to the parts of the map or the array that e refers
// to. Fields of keys and values that are in the tables are parts, too.
func (e *element) partsText() []string {
	parts := slices.Clone(e.Children)
	largest(parts, func(c *element) int64 { return c.NewBytes }, func(c *element) string { return c.Name })
	var texts []string
	for _, c := range parts {
		if float64(c.NewBytes) >= growthShare*float64(e.NewBytes) {
			texts = append(texts, fmt.Sprintf("%s %s", strings.TrimPrefix(c.Name, e.holdsMap()), formatSize(c.NewBytes)))
		}
	}
	return []string{"of it: " + strings.Join(texts, ", ")}
}
