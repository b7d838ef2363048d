// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Part is a plugin.
package main

import (
	"maps"
	"slices"
)

var table = map[string][]int{}

// Index returns the positions of each word in words.
func Index(words []string) map[string][]int {
	for i, w := range words {
		table[w] = append(table[w], i)
	}
	for _, w := range slices.Sorted(maps.Keys(table)) {
		slices.Sort(table[w])
	}
	return table
}

func main() {}
