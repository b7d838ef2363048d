// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Each element of a list may bring an object in each of several fields. If the
// list grows, all of these grow, and it is one leak.

package main

import "strings"

// alikePart is the part of the objects in one field that those in another one
// are, at least, if the elements bring both.
const alikePart = 0.75

// growingElements reports whether e refers to an array of structs, more of which
// have brought about as many objects in several fields.
func (e *element) growingElements() bool {
	fields, least, most := 0, int64(0), int64(0)
	for _, c := range e.Children {
		if c.NewCount < manyObjects || !c.isFieldOf(e) {
			continue
		}
		if fields++; fields == 1 {
			least = c.NewCount
		}
		least, most = min(least, c.NewCount), max(most, c.NewCount)
	}
	return fields > 1 && float64(least) >= alikePart*float64(most)
}

// isFieldOf reports whether c is a field of the structs in the array to which e
// refers, as main.pair.name string is of main.list []pair.
func (c *element) isFieldOf(e *element) bool {
	_, array, isTyped := strings.Cut(e.Name, " ")
	field, _, _ := strings.Cut(c.Name, " ")
	dot := strings.LastIndexByte(field, '.')
	if dot < 0 || !isTyped || !strings.HasPrefix(array, "[") {
		return false
	}
	name := field[:dot]
	before, ok := strings.CutSuffix(array, name[strings.LastIndexByte(name, '.')+1:])
	return ok && before != "" && strings.ContainsAny(before[len(before)-1:], ".]*") // []repair has another type
}
