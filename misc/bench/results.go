// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

// results collects the measured values of both sides by benchmark and unit,
// in the order of their first appearance.
type results struct {
	order  []figure
	values map[figure]*[2][]float64
}

// A figure identifies a row of the table.
type figure struct{ name, unit string }

func newResults() *results {
	return &results{values: make(map[figure]*[2][]float64)}
}

// add adds a measurement of a side. Side 0 is upstream, and side 1 is the fork.
func (r *results) add(side int, m measurement) {
	for _, v := range m.values {
		f := figure{m.name, v.Unit}
		if r.values[f] == nil {
			r.values[f] = new([2][]float64)
			r.order = append(r.order, f)
		}
		r.values[f][side] = append(r.values[f][side], v.Value)
	}
}

func (r *results) empty() bool { return len(r.order) == 0 }

func (r *results) rows() []row {
	var rows []row
	for _, f := range r.order {
		rows = append(rows, compare(f, r.values[f][0], r.values[f][1]))
	}
	return rows
}
