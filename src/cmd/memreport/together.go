// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Goroutines that come in equal numbers at several places come together: a
// connection of an http.Transport has two.

package main

import (
	"cmp"
	"slices"
	"strings"
)

// equalPart is the part by which equal numbers may differ while they grow.
const equalPart = 0.02

const withAsMany = "with as many at "

// joinPlaces makes one finding of those about goroutines that come together: that
// with the first reason and, of those, at the first place by name.
func joinPlaces(all []finding) []finding {
	joined := []finding{}
	for _, x := range all {
		y := cameWith(joined, x)
		if y == nil {
			joined = append(joined, x)
			continue
		}
		if cmp.Or(x.reasonRank()-y.reasonRank(), strings.Compare(x.Place, y.Place)) < 0 {
			x, *y = *y, x
		}
		y.join(x)
	}
	return joined
}

// joinTo makes findings details of others: x of to(all, x), if that is not nil.
func joinTo(all []finding, to func(all []finding, x finding) *finding, join func(y *finding, x finding)) []finding {
	var joined []int
	for i, x := range all {
		if y := to(all, x); y != nil {
			join(y, x)
			joined = append(joined, i)
		}
	}
	for _, i := range slices.Backward(joined) {
		all = slices.Delete(all, i, i+1)
	}
	return all
}

func (x *finding) join(y finding) {
	x.Bytes += y.Bytes
	x.starts = append(x.starts, y.starts...)
	x.Details = append(x.Details, withAsMany+y.Place)
	for _, d := range y.Details {
		if strings.HasPrefix(d, withAsMany) {
			x.Details = append(x.Details, d)
		}
	}
}

// cameWith returns the finding about goroutines that come with those of x, or nil.
func cameWith(all []finding, x finding) *finding {
	for i := range all {
		y := &all[i]
		if y.Kind != "goroutines-growth" || x.Kind != y.Kind || min(x.came, y.came) <= moreLeast {
			continue
		}
		if float64(max(x.came-y.came, y.came-x.came)) <= equalPart*float64(x.came) {
			return y
		}
	}
	return nil
}

// reasonRank returns the place of the finding's reason in placeReasons, where
// causes come before their effects.
func (x *finding) reasonRank() int {
	for i, r := range placeReasons {
		if slices.Contains(x.Details, because+r.text) {
			return i
		}
	}
	return len(placeReasons)
}
