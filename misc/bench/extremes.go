// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

// extremes has the rows of one unit with the least and the greatest ratio.
type extremes struct {
	unit        string
	rows        int
	least, most row
}

// extremesByUnit returns the extremes of each unit among the rows that have
// values of both sides. The units are in the order of their first rows.
func extremesByUnit(rows []row) []extremes {
	var all []extremes
	index := make(map[string]int)
	for _, r := range rows {
		if !r.both() {
			continue
		}
		i, ok := index[r.unit]
		if !ok {
			i = len(all)
			index[r.unit] = i
			all = append(all, extremes{unit: r.unit, least: r, most: r})
		}
		all[i].take(r)
	}
	return all
}

func (e *extremes) take(r row) {
	e.rows++
	if r.ratio() < e.least.ratio() {
		e.least = r
	}
	if r.ratio() > e.most.ratio() {
		e.most = r
	}
}
