// Copyright 2026 The gorefs Authors. All rights reserved.
// Use of this source code is governed by a BSD-style
// license that can be found in the LICENSE file.

// The code for which C allocates memory, in programs that import
// runtime/cgo/mallocprofile.

package main

import (
	"path"
	"strings"

	"github.com/google/pprof/profile"
)

const importForC = `to see which code calls C for it: import _ "runtime/cgo/mallocprofile"`

const raceHidesC = "with -race, no profile says which code calls C for it"

// momentOfC takes the profile cmemory, which few programs have.
func (f *fetcher) momentOfC(i int) {
	if i == 0 {
		f.addIfAny(numbered("cmemory", i), "cmemory")
	} else if f.take.files[numbered("cmemory", 0)] != nil {
		f.addAt("cmemory", i)
	}
}

// addC adds what C's blocks were allocated for: all of them now, and those that
// came in the watch. Of one moment alone nothing is known to have come.
func (f *facts) addC(before, after *profile.Profile) {
	if before != nil && after != nil {
		f.C = changesBy(before, after, "inuse_space", codeOfC)
	}
}

// codeOfC returns the innermost Go code in a call stack that ends in C, or the
// function of C, and its library, that allocated without any.
func codeOfC(all []frame) string {
	for _, f := range all {
		if strings.HasSuffix(f.file, ".go") && !strings.Contains(f.function, "._Cfunc_") && !isStd(f.function) {
			return f.String()
		}
	}
	if len(all) == 0 {
		return ""
	}
	return strings.TrimSuffix(all[0].function+" of "+path.Base(all[0].file), " of .")
}

// whoseC says for which code C has allocated most of what grew, or how to see
// that.
func (f *facts) whoseC() (details []string, known bool) {
	if !f.hasC() {
		if f.lastWatched().Race {
			return []string{raceHidesC}, false
		}
		if c, _ := f.largestForeign(); c == threadStacks {
			return nil, false
		}
		if !f.growsInC() || f.take.files[numbered("cmemory", 0)] != nil {
			return nil, false // the program imports it
		}
		return []string{importForC}, false
	}
	for _, s := range f.C[:min(len(f.C), 3)] {
		if s.NewBytes >= f.least(growthShare, growthLeast)/4 {
			details = append(details, formatSize(s.NewBytes)+" by C for "+s.Code)
		}
	}
	return details, len(details) > 0
}

// growsInC reports whether C's malloc may have most of what grew: it is no mapping
// of the program's, and the program has C.
func (f *facts) growsInC() bool {
	n, known := f.changeOfC()
	all, _ := f.change(foreign)
	m := f.lastWatched()
	return !known || n >= all/2 && m.Classes["c-heap"]+m.Classes[threadStacks] > 0
}

func (f *facts) hasC() bool {
	return f.take.files[numbered("cmemory", len(f.take.Moments)-1)] != nil
}
