// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

package main

import (
	"slices"
	"testing"
)

// TestForeign has C's heap grow more than mapped files.
func TestForeign(t *testing.T) {
	f := newFacts(makeTake(t, sizes{mapStep: mb / 8}))
	for _, m := range f.Moments {
		delete(m.Classes, mappings)
	}
	f.growing(foreign, mb)
	f.growing("c-heap", mb)
	all := findClasses(f)
	if len(all) != 1 {
		t.Fatalf("%d findings", len(all))
	}
	want := `most of it is "C heap" of the profile: 7.0 MB came, now 7.5 MB`
	if !slices.Contains(all[0].Details, want) {
		t.Errorf("details %q, want %q", all[0].Details, want)
	}
	for _, m := range f.Moments {
		m.Classes[mappings] = 100 * mb
	}
	f.growing("files", 2*mb)
	if all := findClasses(f); len(all) != 1 || all[0].Bytes != 7*mb || !slices.Contains(all[0].Details, want) {
		t.Errorf("a database whose C heap grows: %v", all)
	}
	for _, m := range f.Moments {
		for _, p := range foreignParts {
			delete(m.Classes, p.class)
		}
	}
	if all := f.mostForeign(); all != nil {
		t.Errorf("%q without parts", all)
	}
}
