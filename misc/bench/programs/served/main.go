// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Served allocates objects of one kind, as misc/bench/programs/malloc does. The
// profiles of served can be requested, so growth is recorded.
package main

import (
	_ "net/http/pprof"

	"gorefs/misc/bench/programs/iterate"
	"gorefs/misc/bench/programs/objects"
)

func main() {
	iterate.Main(map[string]iterate.Body{
		"24scan":   objects.Nodes,
		"4Knoscan": objects.Pages,
		"4Kscan":   objects.Pointers,
		"large":    objects.Large,
	})
}
