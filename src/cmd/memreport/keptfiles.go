// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The manifest lists the files of a folder. If some are lost later, as in a copy
// or an attachment, the report says so: nothing is found in what is not there.

package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/pprof/profile"
)

// list sets the files of the manifest.
func (t *take) list() { t.Files = slices.Sorted(maps.Keys(t.files)) }

// missLost adds the files that were kept and are not among names.
func (t *take) missLost(names map[string]bool) {
	kept := t.Files
	if len(kept) == 0 {
		kept = t.expected()
	}
	for _, name := range kept {
		if !names[name] {
			t.Missing[name] = "not in the folder, although it was kept"
		}
	}
}

// expected returns files that a folder of a whole watch has, if its manifest, of an
// older version, has no list and says of nothing that it is missing.
func (t *take) expected() (all []string) {
	if len(t.Moments) != spaced+2 || len(t.Missing) > 0 {
		return nil
	}
	for i := range t.Moments {
		all = append(all, numbered("goroutine", i), numbered("growth", i), numbered("memory", i))
	}
	return append(all, numbered("refs", 1), numbered("refs", 2), "goroutineleak.pb.gz", "heap.txt", "peak.pb.gz")
}

// typeOf has a sample type of each profile, without which a file is of another
// one.
var typeOf = map[string]string{
	"goroutine":     "goroutine",
	"goroutineleak": "goroutineleak",
	"growth":        "mapped_space",
	"memory":        "memory_space",
	"cmemory":       "inuse_space",
	"heap":          "inuse_space",
	"inuse":         "inuse_space",
	"refs":          "live_space",
	"peak":          "peak_space",
}

// checkType returns an error if the profile in a file is not that of its name.
func checkType(file string, p *profile.Profile) error {
	name, _, _ := strings.Cut(file, ".")
	var types []string
	for _, t := range p.SampleType {
		types = append(types, t.Type)
	}
	if want := typeOf[name]; want != "" && !slices.Contains(types, want) {
		return fmt.Errorf("no profile %s: it has the sample types %s, and not %s", name, strings.Join(types, ", "), want)
	}
	return nil
}
