// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file gives the boxes of flame graphs colors, one for each package, and
// makes the legend. There are few colors, so several packages may have one.

package memsite

import (
	"cmp"
	"hash/fnv"
	"regexp"
	"slices"
	"strconv"
)

const (
	numColors  = 8
	legendMost = 12 // packages in a legend, without those that are too narrow for a text
)

// A Color is an item of a legend.
type Color struct {
	Class string // of the style
	Name  string // what has the color
	width float64
}

// A legend has colors by their names.
type legend map[string]*Color

// packageName matches the last element of a package's path, in a short name.
var packageName = regexp.MustCompile(`([\w~%-]+)\.`)

// PackageName returns the last element of the path of the first package in a
// name, or "".
func PackageName(name string) string {
	if m := packageName.FindStringSubmatch(ShortName(name)); m != nil {
		return m[1]
	}
	return ""
}

// class returns the class of a box's color, and counts the box.
func (l legend) class(b *Box, name string) string {
	c := Color{Class: "root", Name: "what is above all"}
	switch pkg := PackageName(Cut(name)); {
	case b.Rest != nil:
		c = Color{Class: "rest", Name: "several, too small for boxes"}
	case b.Node == 0:
	case pkg == "":
		c = Color{Class: "plain", Name: "no package, such as []uint8"}
	default:
		h := fnv.New32a()
		h.Write([]byte(pkg))
		c = Color{Class: "c" + strconv.Itoa(int(h.Sum32()%numColors)), Name: "package " + pkg}
	}
	if l[c.Name] == nil {
		l[c.Name] = &c
	}
	l[c.Name].width += b.width
	return c.Class
}

// colors returns the items, the widest first.
func (l legend) colors() (all []Color) {
	for _, c := range l {
		all = append(all, *c)
	}
	slices.SortFunc(all, func(a, b Color) int { return cmp.Or(cmp.Compare(b.width, a.width), cmp.Compare(a.Name, b.Name)) })
	if len(all) > legendMost {
		all = slices.DeleteFunc(all[:legendMost], func(c Color) bool { return c.width < textWidth })
	}
	return all
}
