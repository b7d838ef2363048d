// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// This file makes the bars of the page: classes of memory, one after the other.

package main

import "fmt"

// A bar has the parts of the resident size at a moment.
type bar struct {
	Name, Size string
	Parts      []barPart
}

// A barPart is a class in a bar.
type barPart struct {
	Style, Title string
	X, Width     string // percent
}

// barStyles are the classes of the colors of classes that are parts of the
// resident size.
var barStyles = map[class]string{
	objects: "c0", live: "c0", recent: "c2", fragmented: "c3", free: "root", returned: "c7", stacks: "c5", structures: "c4", foreign: "c6",
}

// A namedMoment is a moment with the name of its bar.
type namedMoment struct {
	name string
	moment
}

// bars returns a bar for each moment that the table is about. The longest is as
// wide as the picture.
func (f *facts) bars() (all []bar) {
	moments := []namedMoment{{"now", f.now()}}
	switch {
	case f.Compare:
		moments = []namedMoment{{"base", f.firstWatched()}, {"now", f.now()}}
	case !f.once():
		moments = []namedMoment{{"when the watch began", f.firstWatched()}, {"now, before the last collection", f.now()}, {"after it", f.lastWatched()}}
	}
	var longest int64
	for _, x := range moments {
		longest = max(longest, barSum(x.moment))
	}
	if longest == 0 {
		return nil
	}
	for _, x := range moments {
		b := bar{Name: x.name, Size: formatSize(barSum(x.moment))}
		at := 0.0
		for _, c := range classes {
			n := x.Classes[c]
			if barStyles[c] == "" || n <= 0 {
				continue
			}
			width := 100 * float64(n) / float64(longest)
			b.Parts = append(b.Parts, barPart{barStyles[c], fmt.Sprintf("%s: %s", c, formatSize(n)), fmt.Sprintf("%.2f%%", at), fmt.Sprintf("%.2f%%", width)})
			at += width
		}
		all = append(all, b)
	}
	return all
}

// barSum returns the sum of the parts of a bar.
func barSum(m moment) (sum int64) {
	for c, n := range m.Classes {
		if barStyles[c] != "" {
			sum += max(0, n)
		}
	}
	return sum
}
