// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// Scope allocates objects in memory scopes. Malloc allocates the same objects
// without scopes.
package main

import (
	"gorefs/misc/bench/programs/iterate"
	"gorefs/misc/bench/programs/objects"
)

func main() {
	iterate.Main(map[string]iterate.Body{
		"scoped8":   scoped(objects.Tiny),
		"scoped24":  scoped(objects.Nodes),
		"scoped4K":  scoped(objects.Pages),
		"limited24": limited(objects.Nodes),
		"counted8":  counted(objects.Tiny),
		"counted24": counted(objects.Nodes),
		"beside24":  beside(objects.Nodes),
	})
}
