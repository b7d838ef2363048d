// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Mapaccess reads maps of a thousand integers, or makes and fills them. It uses
// several maps, because a map's hash has a random seed, and one map may be
// slightly slower than another.
package main

import "gorefs/misc/bench/programs/iterate"

const size = 1000

var sum int

func main() {
	iterate.Main(map[string]iterate.Body{"read": read, "fill": fill})
}

func read(n int) {
	var maps [16]map[int]int
	for i := range maps {
		maps[i] = make(map[int]int)
		put(maps[i])
	}
	for i := range n {
		sum += maps[i%len(maps)][i%size*7919]
	}
}

func fill(n int) {
	for range n {
		put(make(map[int]int))
	}
}

func put(m map[int]int) {
	for i := range size {
		m[i*7919] = i
	}
}
